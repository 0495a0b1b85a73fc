/** The programs of the engine, and which version of Kubernetes: `engine/go.mod` alone says that. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Tells what is being done now, one short line. */
export type Say = (line: string) => void;

/** Paths of the programs. */
export interface Binaries {
  etcd: string;
  apiServer: string;
  /** Without one, Deployments are those of the stand-in, and nothing collects garbage. */
  controllerManager?: string;
  /** Of the same version as the API server. */
  kubectl?: string;
  /** The API server's, as in `1.37.2`. */
  version: string;
}

/** Names of the programs, as Kubernetes and etcd release them. */
export const PROGRAMS = {
  etcd: 'etcd',
  apiServer: 'kube-apiserver',
  controllerManager: 'kube-controller-manager',
  kubectl: 'kubectl',
} as const;

/** The first minor version with constrained impersonation and mutating admission policies on by default. */
export const OLDEST_MINOR = 36;

/** What is built where none is found. Throws where `root` is not the project's folder. */
export function builtVersion(root: string): string {
  const text = readFileSync(join(root, 'engine/go.mod'), 'utf8');
  const [, version] = /^\s*k8s\.io\/kubernetes v(\S+)$/m.exec(text) ?? [];
  if (!version) throw new Error(`${join(root, 'engine/go.mod')} names no version of k8s.io/kubernetes`);
  return version;
}

/** 37 of `1.37.2`. */
export const minorOf = (version: string): number => Number(version.split('.')[1]);

/** What a program of Kubernetes says to `--version`; `undefined` where it can't be run. */
export async function versionOf(program: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: 20_000 });
    return /^Kubernetes v(\S+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}
