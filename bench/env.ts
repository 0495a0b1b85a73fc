/** The environment of the measurements, read once. */
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** The PATH for programs that are measured, with this Node first on it. */
export const path = [dirname(process.execPath), process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter);

/** Where the programs of a real API server are kept, whoever's home a measurement plays in. */
export const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');

/** What npm and its like run with. */
export const inherited = process.env;
