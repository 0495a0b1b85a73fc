/** Which port the API server is told, by programs that only write down what they are started with. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEngine } from '../../../local/engine/start.ts';
import { listen } from '../../../local/functions/port.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tiny-port-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, script: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  return file;
}

/** What `kube-apiserver` was started with; it ends at once. */
async function startedWith(port?: number): Promise<string[]> {
  const data = join(folder, 'data');
  const binaries = {
    etcd: program('etcd', 'touch etcd.sock; exec sleep 60'),
    apiServer: program('kube-apiserver', 'printf "%s\\n" "$@" > arguments; exit 1'),
    version: '1.37.0',
  };
  const options = { folder: data, binaries, controllers: false, log: () => undefined, ...(port && { port }) };
  await expect(startEngine(options)).rejects.toThrow('kube-apiserver ended before it was ready');
  return readFileSync(join(data, 'arguments'), 'utf8').split('\n');
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a port that is asked for is the one that the server is told', async () => {
  const port = await freePort();
  expect(await startedWith(port)).toContain(`--secure-port=${port}`);
});

test('without one it is told a free one, never 0, which would be none at all', async () => {
  expect((await startedWith()).find((one) => one.startsWith('--secure-port='))).toMatch(/=[1-9]\d+$/);
});
