/**
 * Kubeconfig files as kubectl merges them: of each cluster, user and context, and of the current context, the first
 * file's holds; paths are relative to their file; files that are not there are passed over.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

/** What is wrong with the kubeconfig, and what to do. */
export class KubeconfigError extends Error {
  override name = 'KubeconfigError';
}

export interface ClusterEntry {
  server?: string;
  'certificate-authority'?: string;
  'certificate-authority-data'?: string;
  'insecure-skip-tls-verify'?: boolean;
  'tls-server-name'?: string;
  'proxy-url'?: string;
}

export interface UserEntry {
  token?: string;
  tokenFile?: string;
  'client-certificate'?: string;
  'client-certificate-data'?: string;
  'client-key'?: string;
  'client-key-data'?: string;
  as?: string;
  'as-uid'?: string;
  'as-groups'?: string[];
  'as-user-extra'?: Record<string, string[]>;
  exec?: { command?: string };
  'auth-provider'?: { name?: string };
}

export interface ContextEntry {
  cluster?: string;
  user?: string;
  namespace?: string;
}

export interface Kubeconfig {
  clusters: Map<string, ClusterEntry>;
  users: Map<string, UserEntry>;
  contexts: Map<string, ContextEntry>;
  current: string | undefined;
}

type Entries = ({ name?: string } & Record<string, unknown>)[] | null | undefined;
type File = { clusters?: Entries; users?: Entries; contexts?: Entries; 'current-context'?: string } | null;

const PATHS = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

/** `command` is a path only where it holds a separator; else it is looked up. */
const located = (folder: string, exec: { command?: string }) =>
  exec.command?.includes('/') ? { ...exec, command: resolve(folder, exec.command) } : exec;

function absolute(folder: string, entry: Record<string, unknown>): Record<string, unknown> {
  const paths = PATHS.filter((key) => entry[key]).map((key) => [key, resolve(folder, String(entry[key]))]);
  const exec = entry['exec'] ? { exec: located(folder, entry['exec']) } : {};
  return { ...entry, ...Object.fromEntries(paths), ...exec };
}

function read(path: string): File | undefined {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new KubeconfigError(`can't read the kubeconfig ${path}: ${(error as Error).message}`, { cause: error });
  }
}

function addAll<T>(into: Map<string, T>, list: Entries, value: (entry: Record<string, unknown>) => unknown) {
  for (const entry of list ?? []) {
    const name = String(entry.name ?? '');
    if (!into.has(name)) into.set(name, (value(entry) ?? {}) as T);
  }
}

/** @throws KubeconfigError where none of `paths` is there, or one can't be read. */
export function readKubeconfigs(paths: readonly string[]): Kubeconfig {
  const config: Kubeconfig = { clusters: new Map(), users: new Map(), contexts: new Map(), current: undefined };
  let found = false;
  for (const path of paths) {
    const file = read(path);
    if (file === undefined) continue;
    found = true;
    const of = (key: string) => (entry: Record<string, unknown>) =>
      absolute(dirname(path), (entry[key] ?? {}) as Record<string, unknown>);
    addAll(config.clusters, file?.clusters, of('cluster'));
    addAll(config.users, file?.users, of('user'));
    addAll(config.contexts, file?.contexts, of('context'));
    config.current ??= file?.['current-context'] || undefined;
  }
  if (!found) throw new KubeconfigError(`there is no kubeconfig at ${paths.join(', ')}`);
  return config;
}
