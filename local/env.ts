/** The environment of the local cluster's process, read once; nothing else in `local/` reads `process.env`. */
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

export interface Environment {
  /** The PATH for the processes of pods. */
  path: string;
  /** Who started it. */
  you: string;
  /** What can be made again: `$XDG_CACHE_HOME/tiny`. */
  cache: string;
  /** `KUBEBUILDER_ASSETS`: a folder with a kube-apiserver and an etcd. */
  assets?: string;
}

export function readEnvironment(): Environment {
  const { PATH, USER, XDG_CACHE_HOME, KUBEBUILDER_ASSETS } = process.env;
  return {
    path: PATH ?? '/usr/local/bin:/usr/bin:/bin',
    you: USER || userInfo().username || 'you',
    cache: join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'tiny'),
    ...(KUBEBUILDER_ASSETS && { assets: KUBEBUILDER_ASSETS }),
  };
}
