/** Which API server a local cluster is to have, from the command's flag; a real one is found, downloaded or built. */
import { join } from 'node:path';
import { Option } from 'commander';
import type { Binaries } from '../../local/engine/binaries.ts';
import { findEngine, NoEngine } from '../../local/engine/find.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { startProgress } from '../output/progress.ts';

const ROOT = join(import.meta.dirname, '../..');

export type EngineName = 'stand-in' | 'kubernetes';

/** `--engine NAME`. */
export const engineOption = (): Option =>
  new Option('--engine <engine>', 'the API server: the stand-in, or a real kube-apiserver with its etcd')
    .choices(['stand-in', 'kubernetes'] satisfies EngineName[])
    .default('stand-in');

/** A build says a line for each of thousands of packages; where no terminal shows the last, these are told. */
const NOTED = /^(Kubernetes v|another|building \()|passed over/;
/** Why it takes longer than it might is told even there. */
const TOLD = /^Kubernetes is not downloaded/;

/** The programs; `undefined` for the stand-in. Throws `Failure` where none is there and none can be built. */
export async function chosenEngine(app: App, name: EngineName): Promise<Binaries | undefined> {
  if (name === 'stand-in') return undefined;
  const { assets, path, cache } = app.env;
  const progress = startProgress(app.io.stderr, 'Looking for Kubernetes');
  const isNote = (line: string) => TOLD.test(line) || (NOTED.test(line) && !app.io.stderr.isTTY);
  const say = (line: string) => (isNote(line) ? app.note(line) : progress.say(line));
  try {
    return await findEngine({ root: ROOT, assets, path, cache, fetch, say, signal: app.signal });
  } catch (error) {
    if (error instanceof NoEngine) throw new Failure(error.message, error.advice);
    throw error;
  } finally {
    progress.end();
  }
}

/** How long a cluster may take to be ready, milliseconds: a real API server works hard at its start. */
export const readyLimit = (engine: Binaries | undefined): number => (engine ? 240_000 : 60_000);

/** What a local cluster is, in words; `version` is Kubernetes'. */
export const engineInWords = (version: string | undefined): string =>
  version === undefined
    ? 'a stand-in for Kubernetes and Knative'
    : `Kubernetes v${version}, with a stand-in for its nodes and for Knative`;
