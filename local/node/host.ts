/**
 * The machine as the node sees it: where things lie. Folders are named after uids, so that a restart finds them.
 * Unix sockets have at most 103 bytes of path: what pods share lies in short temporary folders.
 */
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Folders {
  /** Lasting: claims, logs, pid files. */
  dataFolder: string;
  /** Short: emptyDir volumes, working folders. */
  tempFolder: string;
}

export interface Host extends Folders {
  /** What containers see as `/opt/tiny`. */
  agentFolder: string;
  /** The PATH of every process. */
  path: string;
  /** Where processes reach the API server. */
  apiServer: { host: string; port: number };
}

/** Makes the folder, for this user alone, where it is missing. */
export function folder(...parts: string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

/**
 * Makes a folder in one that others may write to, such as `/tmp`, for this user alone. Throws where one is there that
 * another may have made, or may read.
 */
export function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lstatSync(path);
  if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0) return path;
  throw new Error(`${path} is not this user's alone, and so is not used: whoever owns it is to remove it`);
}

export const podsFolder = ({ dataFolder }: Folders): string => folder(dataFolder, 'pods');
export const podFolder = (host: Folders, uid: string): string => join(podsFolder(host), uid);
export const claimsFolder = ({ dataFolder }: Folders): string => folder(dataFolder, 'claims');
export const pidFileOf = (host: Folders, uid: string, container: string): string =>
  join(folder(podFolder(host, uid), 'pids'), container);
export const logFileOf = (host: Folders, uid: string, { name, life }: { name: string; life: number }): string =>
  join(folder(podFolder(host, uid), 'logs', name), `${life}.log`);
/** The pod's temporary folder; two stand-ins on one machine never share it. */
export const tempFolderOf = ({ tempFolder, dataFolder }: Folders, uid: string): string =>
  join(tempFolder, `tiny-${createHash('sha256').update(`${dataFolder}\n${uid}`).digest('hex').slice(0, 10)}`);

/** A container's path and the host's path in its place. */
export interface Mount {
  container: string;
  host: string;
}

/** The host's path for a value that is a container's path or begins with one; other values stay. */
export function onHost(value: string, mounts: readonly Mount[]): string {
  const fitting = mounts.filter(({ container }) => value === container || value.startsWith(`${container}/`));
  const [best] = fitting.sort((a, b) => b.container.length - a.container.length);
  return best ? best.host + value.slice(best.container.length) : value;
}
