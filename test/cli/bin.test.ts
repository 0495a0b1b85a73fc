import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'tiny-bin-'));
afterAll(() => rmSync(folder, { recursive: true }));

const start = (file: string, ...argv: string[]) =>
  new Promise<{ code: unknown; out: string; err: string }>((done) => {
    const env = { PATH: process.env['PATH'], HOME: folder, KUBECONFIG: join(folder, 'none') };
    execFile(file, argv, { env }, (error, out, err) => done({ code: error?.code ?? 0, out, err }));
  });

it('bin/tiny runs with whatever Node is on the path, and passes the exit code on', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(await start(resolve('bin/tiny'), '--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
  const failed = await start(resolve('bin/tiny'), 'ls');
  expect(failed).toMatchObject({ code: 1, out: '', err: expect.stringContaining('there is no kubeconfig at') });
});

it('as kubectl-tiny it is kubectl tiny', async () => {
  symlinkSync(resolve('bin/tiny'), join(folder, 'kubectl-tiny'));
  const { code, err } = await start(join(folder, 'kubectl-tiny'), 'lss');
  expect(code).toBe(2);
  expect(err).toContain('(run "kubectl tiny help" for usage)');
});

/** A server that takes requests and never answers. */
async function silentServer(): Promise<{ url: string; asked: Promise<void>; close: () => void }> {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const server = createServer(() => ask());
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
}

it('a SIGINT to the started process is 130, without a word, though a request hangs', async () => {
  const server = await silentServer();
  const event = join(folder, 'event.json');
  writeFileSync(event, JSON.stringify({ headers: { 'ce-id': '1' }, body: '{}' }));
  const child = spawn(resolve('bin/tiny'), ['replay', event, '--to', server.url], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  await server.asked;
  child.kill('SIGINT');
  const code = await new Promise((done) => child.once('close', done));
  server.close();
  expect({ code, said }).toEqual({ code: 130, said: '' });
});

it('a reader that goes away ends it quietly', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's
  const script = '"$0" completion bash | head -c 1; echo " ${PIPESTATUS[0]}"';
  const { out, err } = await start('bash', '--norc', '-c', script, resolve('bin/tiny'));
  expect({ out, err }).toEqual({ out: '# 0\n', err: '' });
});
