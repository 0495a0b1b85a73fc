/** The version of the command: the package's. */
import manifest from '../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
