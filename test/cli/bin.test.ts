import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
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
