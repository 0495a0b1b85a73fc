/**
 * Downloads the official programs into the cache, once. They are unpacked in a folder of their own, which gets its name
 * when all of them are there: half of an engine is never found, and nothing runs that is not what was pinned.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAMS, type Say } from './binaries.ts';
import { type Fetch, fetchVerified, NotDownloaded, type Way } from './fetch-verified.ts';
import { fetchProgram } from './image.ts';
import { locked } from './lock.ts';
import { ARCHITECTURE, type Release, releaseFor } from './releases.ts';

export interface Download {
  /** Of the engines: each is below it, by its version. */
  folder: string;
  release: Release;
  /** As Node names it. */
  arch: string;
  fetch: Fetch;
  say: Say;
  signal?: AbortSignal | undefined;
}

/** Where a downloaded release is kept, apart from what is built. */
export const downloadedFolder = (folder: string, { version }: Release): string => join(folder, `v${version}-official`);

/** What can be downloaded for this machine; `undefined` where there is nothing. */
export const releaseHere = (): Release | undefined => releaseFor(process.platform, process.arch);

async function unpackArchive({ release, folder }: Download, making: string, way: Way): Promise<void> {
  const { url, sha512 } = release.archive;
  const file = join(folder, `.${url.slice(url.lastIndexOf('/') + 1)}`);
  const what = `Kubernetes v${release.version}`;
  await fetchVerified({ url, algorithm: 'sha512', sum: sha512, what }, file, way);
  execFileSync('tar', ['-xzf', file, '-C', making]);
  rmSync(file);
}

/** The programs by their names in `making/ready`. */
async function make(download: Download, making: string): Promise<void> {
  const { release, arch, fetch, say, signal } = download;
  const way = { fetch, say, signal };
  await unpackArchive(download, making, way);
  const ready = join(making, 'ready');
  renameSync(join(making, release.folder), ready);
  const image = release.controllerManager;
  if (!image) return;
  const into = join(making, 'image');
  mkdirSync(into);
  await fetchProgram({ image, architecture: ARCHITECTURE[arch] ?? arch, into }, way);
  renameSync(join(into, image.program), join(ready, PROGRAMS.controllerManager));
}

/** Makes `into`, all or nothing. */
async function makeWhole(download: Download, into: string): Promise<void> {
  const making = mkdtempSync(join(download.folder, '.making-'));
  try {
    await make(download, making);
    renameSync(join(making, 'ready'), into);
  } catch (error) {
    if (error instanceof NotDownloaded || download.signal?.aborted) throw error;
    throw new NotDownloaded(`what came can't be unpacked: ${(error as Error).message}`);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** Makes the folder of `downloadedFolder` and gives it. Throws `NotDownloaded`. */
export async function downloadEngine(download: Download): Promise<string> {
  const { folder, release, say, signal } = download;
  const into = downloadedFolder(folder, release);
  mkdirSync(folder, { recursive: true });
  const waiting = { say, signal, busy: 'another process gets it; waiting' };
  await locked(join(folder, 'lock'), waiting, async () => {
    if (!existsSync(into)) await makeWhole(download, into);
  });
  return into;
}
