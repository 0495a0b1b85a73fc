/** Folders of a test's node. */
import { join } from 'node:path';

export const hostOf = (folder: string) => ({
  dataFolder: join(folder, 'node'),
  tempFolder: folder,
  agentFolder: '/dev/null',
  path: '/usr/bin:/bin',
});
