/**
 * Finds the engine's programs: in `KUBEBUILDER_ASSETS`, on the path, in the cache; else they are downloaded by pinned
 * checksum, else built once (docs/decisions/engine-from-modules.md).
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Binaries, builtVersion, minorOf, OLDEST_MINOR, PROGRAMS, type Say, versionOf } from './binaries.ts';
import { buildEngine, goVersion, NotBuilt } from './build.ts';
import { downloadEngine, downloadedFolder, releaseHere } from './download.ts';
import { type Fetch, NotDownloaded } from './fetch-verified.ts';
import type { Release } from './releases.ts';

export interface Finding {
  /** The project's own folder. */
  root: string;
  /** `KUBEBUILDER_ASSETS`: a folder with etcd and kube-apiserver, as controller-runtime's tests have it. */
  assets?: string | undefined;
  /** `PATH`. */
  path: string;
  /** `$XDG_CACHE_HOME/tiny`. */
  cache: string;
  say: Say;
  signal?: AbortSignal | undefined;
  /** By what it is downloaded; absent: it is not. */
  fetch?: Fetch | undefined;
  /** What is downloaded; default: what there is for this machine. */
  release?: Release | undefined;
}

/** None is there and none can be built; `advice` says what to do. */
export class NoEngine extends Error {
  override name = 'NoEngine';
  readonly advice: string;
  constructor(why: string, advice: string) {
    super(why);
    this.advice = advice;
  }
}

const enginesFolder = ({ cache }: Pick<Finding, 'cache'>): string => join(cache, 'engine');

/** Where the engine of this version is kept. */
export const cacheFolder = ({ cache, root }: Pick<Finding, 'cache' | 'root'>): string =>
  join(enginesFolder({ cache }), `v${builtVersion(root)}`);

/** What was downloaded before; none where there is nothing to be downloaded for this machine. */
function downloaded(finding: Finding): string[] {
  const release = finding.release ?? releaseHere();
  return release ? [downloadedFolder(enginesFolder(finding), release)] : [];
}

const inFolders = (folders: readonly string[], name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((file) => existsSync(file));

/** A program of Kubernetes, if it is there in just this version: others may not go with the API server. */
async function ofVersion(folders: readonly string[], name: string, version: string): Promise<string | undefined> {
  const file = inFolders(folders, name);
  return file && (await versionOf(file)) === version ? file : undefined;
}

/** kubectl's own flag differs; its version need not be the same to the patch. */
async function look(folders: readonly string[], say: Say): Promise<Binaries | undefined> {
  const [etcd, apiServer] = [inFolders(folders, PROGRAMS.etcd), inFolders(folders, PROGRAMS.apiServer)];
  if (!etcd || !apiServer) return undefined;
  const version = await versionOf(apiServer);
  if (!version || minorOf(version) < OLDEST_MINOR) {
    say(
      `${apiServer} is passed over: ${version ? `v${version}, and v1.${OLDEST_MINOR} is needed` : "it can't be run"}`,
    );
    return undefined;
  }
  const controllerManager = await ofVersion(folders, PROGRAMS.controllerManager, version);
  const kubectl = inFolders(folders, PROGRAMS.kubectl);
  return { etcd, apiServer, ...(controllerManager && { controllerManager }), ...(kubectl && { kubectl }), version };
}

/** What is there already, `undefined` where nothing is. A complete set comes before one without a controller manager. */
export async function lookForEngine(finding: Finding): Promise<Binaries | undefined> {
  const { assets, path, say } = finding;
  const cache = cacheFolder(finding);
  const places = [...(assets ? [[assets]] : []), path.split(delimiter).filter(Boolean), [cache], downloaded(finding)];
  for (const folders of places) {
    const found = await look(folders, say);
    if (!found) continue;
    if (found.controllerManager) return found;
    const controllerManager = await ofVersion([cache], PROGRAMS.controllerManager, found.version);
    return controllerManager ? { ...found, controllerManager } : found;
  }
}

const ADVICE = (version: string) =>
  `Install Go (https://go.dev/dl; 1.26 or newer) and it is built once, in about eight minutes on two cores; or name a folder ` +
  `with etcd, kube-apiserver and kube-controller-manager of Kubernetes v${version} in KUBEBUILDER_ASSETS.`;

/** Builds it into the cache. Throws `NoEngine`. */
async function build(finding: Finding): Promise<Binaries> {
  const { root, say, signal } = finding;
  const version = builtVersion(root);
  const into = cacheFolder(finding);
  const module = join(root, 'engine');
  try {
    const go = await goVersion(module);
    say(
      `Kubernetes v${version} is built once, with Go ${go}: about eight minutes on two cores, a third of one from Go's cache`,
    );
    await buildEngine({ module, into, version, say, signal });
  } catch (error) {
    if (!(error instanceof NotBuilt)) throw error;
    throw new NoEngine(`no kube-apiserver is found, and none can be built: ${error.message}`, ADVICE(version));
  }
  const built = await look([into], say);
  if (!built) throw new NoEngine(`what was built in ${into} can't be run`, `Remove the folder and try again.`);
  return built;
}

/** Downloads it into the cache; `undefined`, and a line that says why, where that can't be done. */
async function download(finding: Finding): Promise<Binaries | undefined> {
  const { fetch, say, signal } = finding;
  const release = finding.release ?? releaseHere();
  if (!fetch || !release) return undefined;
  try {
    const into = await downloadEngine({
      folder: enginesFolder(finding),
      release,
      arch: process.arch,
      fetch,
      say,
      signal,
    });
    return await look([into], say);
  } catch (error) {
    if (!(error instanceof NotDownloaded)) throw error;
    say(`Kubernetes is not downloaded: ${error.message}`);
    return undefined;
  }
}

/** The programs, downloaded or built where need be. Throws `NoEngine`. */
export const findEngine = async (finding: Finding): Promise<Binaries> =>
  (await lookForEngine(finding)) ?? (await download(finding)) ?? (await build(finding));
