/**
 * The process of a local cluster: `node local/main.ts FOLDER OPTIONS`, OPTIONS as JSON. `tiny up` starts it and reads
 * `cluster.json` once it is written, which says that all is ready.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/mini';
import { startCluster } from './cluster.ts';
import { startControl } from './control.ts';
import { readEnvironment } from './env.ts';

const rate = z.optional(z.number().check(z.minimum(0), z.maximum(1)));
const schema = z.object({
  port: z._default(z.number(), 0),
  project: z._default(z.string(), 'default'),
  idleMs: z._default(z.number(), 30_000),
  faults: z._default(z.object({ lose: rate, double: rate, delay: rate, reorder: rate }), {}),
});

/** What `tiny up` may ask of a cluster. */
export type UpOptions = z.input<typeof schema>;

async function main([folder = '', options = '{}']: string[]): Promise<void> {
  const { path, you } = readEnvironment();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const root = join(import.meta.dirname, '..');
  const log = (line: string) => void process.stderr.write(`${new Date().toISOString()} ${line}\n`);
  const asked = schema.parse(JSON.parse(options));
  const cluster = await startCluster({ ...asked, folder, root, you, path, log });
  const control = startControl(folder, cluster.functions);
  const file = join(folder, 'cluster.json');
  const stop = async () => {
    rmSync(file, { force: true });
    control.stop();
    await cluster.stop();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  write(file, { pid: process.pid, kubeconfig: cluster.kubeconfig });
}

/** All or nothing, and for this user alone: it holds tokens. */
function write(file: string, content: object): void {
  writeFileSync(`${file}.new`, JSON.stringify(content), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

await main(process.argv.slice(2));
