/** The environment of the local cluster's process, read once; nothing else in `local/` reads `process.env`. */
import { userInfo } from 'node:os';

export interface Environment {
  /** The PATH for the processes of pods. */
  path: string;
  /** Who started it. */
  you: string;
}

export const readEnvironment = (): Environment => ({
  path: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  you: process.env.USER || userInfo().username || 'you',
});
