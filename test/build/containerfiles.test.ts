import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FUNCTIONS } from '../../build/bundle.ts';
import { agentsOf } from '../../build/images/agents.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The images that a Containerfile takes from a registry: neither `scratch` nor one of its own stages. */
function outside(text: string): string[] {
  const defaults = new Map([...text.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]));
  const lines = [...text.matchAll(/^FROM (\S+)(?: AS (\S+))?$/gm)];
  const stages = new Set(['scratch', ...lines.map(([, , stage]) => stage)]);
  return lines
    .map(([, image = '']) => image.replace(/\$\{(\w+)\}/g, (_, name) => defaults.get(name) ?? ''))
    .filter((image) => !stages.has(image));
}

const FILES = ['agent/Containerfile', 'functions/Containerfile'];

describe.each(FILES)('%s', (file) => {
  test('takes every outside image by tag and digest, from one argument', () => {
    const images = outside(read(file));
    expect(images.length).toBeGreaterThan(0);
    for (const image of images) expect(image).toMatch(/^[a-z.]+\/[a-z/]+:[\w.-]+@sha256:[0-9a-f]{64}$/);
    expect(read(file).match(/@sha256:/g)).toHaveLength(1);
  });

  test('has the Node that the tests run on', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: { node: string } };
    for (const image of outside(read(file))) expect(image).toContain(`/node:${dependencies.node}-`);
  });
});

test('all of them have the same base', () => {
  expect(new Set(FILES.flatMap((file) => outside(read(file)))).size).toBe(1);
});

/** The targets of a Containerfile. */
const targets = (file: string) => [...read(file).matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name);

test("every preset's agent has a target, and its packages come from the lock", () => {
  const agents = agentsOf(ROOT);
  expect(agents).toContain('claude-code');
  expect(targets('agent/Containerfile')).toEqual(expect.arrayContaining(agents));
  for (const agent of agents) expect(read('agent/Containerfile')).toContain(`RUN npm ci --workspace ${agent}\n`);
  expect(read('agent/Containerfile')).not.toMatch(/npm (install|i) /);
});

test('every function that Knative is given has a target and is packed', () => {
  const asked = globSync('knative/**/*.yaml', { cwd: ROOT }).flatMap((file) =>
    [...read(file).matchAll(/image: tiny\.dev\/function-([a-z-]+):/g)].map(([, name = '']) => name),
  );
  expect(asked.sort()).toEqual([...FUNCTIONS].sort());
  expect(targets('functions/Containerfile')).toEqual(expect.arrayContaining(asked));
  const [, compiled = ''] = /for name in ([a-z -]+); do/.exec(read('functions/Containerfile')) ?? [];
  expect(compiled.split(' ').sort()).toEqual([...FUNCTIONS].sort());
});
