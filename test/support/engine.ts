/**
 * A real kube-apiserver for tests. It is found, never built here (`npm run engine` does that); where there is none,
 * `engineForTests` is undefined and says so once, loudly.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject, Person } from '../../lib/api/meta.ts';
import { readManifests } from '../../lib/install/manifests.ts';
import { makeClient } from '../../lib/kube/client.ts';
import type { Client } from '../../lib/kube/types.ts';
import type { Variant } from '../../local/engine/arguments.ts';
import type { Binaries } from '../../local/engine/binaries.ts';
import { lookForEngine } from '../../local/engine/find.ts';
import { type Engine, startEngine } from '../../local/engine/start.ts';
import { readEnvironment } from '../../local/env.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface TestEngine extends Engine {
  binaries: Binaries;
  /** In `system:masters`. */
  admin: Client;
  /** As whoever has the token: one of `people`, or a service account. */
  clientOf(token: string, fieldManager?: string): Client;
  /** Ends it and removes all that it kept. */
  stop(): Promise<void>;
}

export interface TestEngineOptions extends Variant {
  /** By their token. */
  people?: ReadonlyMap<string, Person>;
  /** CustomResourceDefinitions; those of `crds/` by default. */
  definitions?: readonly KubeObject[];
  /** Default: without. */
  controllers?: boolean;
}

const say = (line: string) => void process.stderr.write(`${line}\n`);

/** The programs, or undefined where there are none. For `describe.skipIf(!binaries)`. */
export const engineBinaries: Binaries | undefined = await lookForEngine({ ...readEnvironment(), root: ROOT, say });
if (!engineBinaries) say('SKIPPED: no kube-apiserver is found. `npm run engine` builds one.');

/** Starts one, in 2 to 10 seconds. Throws where `engineBinaries` is undefined. */
export async function engineForTests(wanted: TestEngineOptions = {}): Promise<TestEngine> {
  if (!engineBinaries) throw new Error('no kube-apiserver is found: `npm run engine` builds one');
  const folder = mkdtempSync(join(tmpdir(), 'tiny-engine-'));
  const binaries = engineBinaries;
  const options = { controllers: false, definitions: readManifests(join(ROOT, 'crds')), ...wanted };
  const engine = await startEngine({ ...options, folder, binaries, unsafe: true, log: say });
  await engine.controllersReady;
  const clientOf = (token: string, fieldManager = 'test') =>
    makeClient({ server: engine.url, ca: engine.caPem, auth: { token }, fieldManager });
  return {
    ...engine,
    binaries,
    admin: clientOf(engine.adminToken),
    clientOf,
    stop: async () => {
      await engine.stop(1000);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
