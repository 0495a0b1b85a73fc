/** The bundles of the functions: what is in them, that they start with what was compiled ahead, and that nothing left out is reached. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../build/bundle.ts';
import { EMPTY, startProgram } from '../../build/program.ts';
import { ABSENT, slim } from '../../build/slim.ts';
import { cacheOf, load, sealed, unsealed } from '../../functions/load.ts';

const ROOT = join(import.meta.dirname, '../..');
const MAX_BYTES = 400_000;
const bundleOf = (name: string) => join(ROOT, `dist/functions/${name}.bundle.cjs`);

const folder = mkdtempSync(join(tmpdir(), 'tiny-bundle-'));
const write = (file: string, text: string): string => {
  writeFileSync(join(folder, file), text);
  return join(folder, file);
};
beforeAll(() => {
  write('ca.crt', 'never read: no API server is asked');
  return bundle(ROOT);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Bodies that the framework's other parsers would read, were it not for the gate. */
const BODIES: Record<string, string>[] = [
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'application/cloudevents+json; charset=shift_jis' },
  { 'content-type': 'text/plain; charset=koi8-r' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  { 'content-type': 'application/json', 'content-encoding': 'nonsense' },
  {},
];

describe.each(['session', 'question'])('function %s', (name) => {
  test('starts alone and answers 400 to what is no event, whatever its type and encoding claim', async () => {
    const program = await startProgram([join(ROOT, `dist/functions/${name}.cjs`)], {
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      TINY_CREDENTIALS: folder,
      LOG_LEVEL: 'error',
    });
    try {
      expect(await program.ask({ headers: {}, body: '' })).toBe(400);
      expect(await program.ask(EMPTY)).toBe(400);
      for (const headers of BODIES) expect(await program.ask({ headers, body: 'a[b]=%ff&c=1' })).toBe(400);
    } finally {
      await program.end();
    }
  });

  test('is small', () => {
    expect(statSync(bundleOf(name)).size).toBeLessThan(MAX_BYTES);
  });

  test('is compiled ahead by this version of Node', () => {
    const file = bundleOf(name);
    expect(unsealed(readFileSync(file), readFileSync(cacheOf(file)))?.length).toBeGreaterThan(100_000);
    const script = `process.stdout.write(String(require(${JSON.stringify(join(ROOT, 'functions/load.ts'))}).load(${JSON.stringify(file)}).cachedDataRejected))`;
    expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toBe('false');
  });

  test('holds neither the whole of zod nor client-node, nor what is left out', async () => {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: [`functions/${name}.ts`],
      bundle: true,
      platform: 'node',
      write: false,
      metafile: true,
      plugins: [slim],
      outdir: 'dist',
    });
    const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    );
    expect(inputs).toContainEqual(expect.stringContaining('functions-framework'));
    const heavy = new RegExp(
      `node_modules/(@kubernetes/client-node|${Object.keys(ABSENT).join('|')})/|/zod/v4/classic/`,
    );
    expect(inputs.filter((file) => heavy.test(file))).toEqual([]);
  });
});

describe('a compile cache', () => {
  const [code, compiled] = [Buffer.from('1 + 1'), Buffer.from('what V8 made')];
  const whole = sealed(code, compiled);

  test('is used as it was made', () => {
    expect(unsealed(code, whole)).toEqual(compiled);
  });

  test.each([
    ['of another bundle of the same length', Buffer.from('1 - 1'), whole],
    ['that is torn', code, whole.subarray(0, -1)],
    ['that was changed', code, Buffer.concat([whole.subarray(0, -1), Buffer.from('!')])],
    ['that is not there', code, Buffer.alloc(0)],
  ])('%s is not used', (_, bundle, cache) => {
    expect(unsealed(bundle, cache)).toBeUndefined();
  });

  test('that is missing costs time only', () => {
    expect(load(write('two.cjs', 'module.exports = 2;')).runInThisContext()).toBeTypeOf('function');
  });
});
