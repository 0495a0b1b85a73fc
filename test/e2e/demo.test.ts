/** `tiny demo` as a machine runs it: well, and where something that it needs is missing. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Local } from './local.ts';

const local = new Local();
afterAll(() => local.end());

test('the demo plays its whole story, names its people, and leaves nothing running', async () => {
  const { code, out } = await local.tiny('demo', '--json');
  const { ok, steps, audit, running } = JSON.parse(out);
  expect(steps.filter((step: { ok: boolean }) => !step.ok)).toEqual([]);
  expect({ ok, code, running }).toEqual({ ok: true, code: 0, running: { pods: 0, functions: 0 } });
  expect(steps).toHaveLength(10);
  const people = new Set(
    audit.map(({ impersonatedUser, user }: { impersonatedUser?: string; user: string }) => impersonatedUser ?? user),
  );
  for (const name of ['alice', 'bob', 'carol']) expect(people).toContain(name);
  expect(local.processes()).toEqual([]);
});

test('a step that fails ends it with exit 1 and says why', async () => {
  const path = join(local.folder, 'bin');
  mkdirSync(path);
  symlinkSync('/bin/sh', join(path, 'sh'));
  const { code, out, err } = await local.run(['demo', '--json'], { env: { PATH: path } });
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ ok: false, steps: [{ ok: false }] });
  expect(err).toContain('git');
  expect(err).toContain('It needs git');
  expect(local.processes()).toEqual([]);
});
