import { describe, expect, it } from 'vitest';
import { REGISTRY } from '../../cli/registry.ts';
import { SESSIONS } from '../../lib/kube/types.ts';
import { makeHarness, session } from './harness.ts';

describe('a wrong call is exit 2, on stderr, with a hint', () => {
  it.each([
    [['lss'], /unknown command 'lss'\n\(Did you mean ls\?\)/],
    [['ls', '--wathc'], /unknown option '--wathc'\n\(Did you mean --watch\?\)/],
    [['ls', '-o', 'xml'], /Allowed choices are json, yaml, wide, name/],
    [['ls', 'too', 'many'], /too many arguments/],
    [['show'], /missing required argument 'name'/],
    [['-n'], /argument missing/],
    [['show', 'a', '-w'], /show does not watch/],
    [['new', 'x', '-A'], /new takes no -A/],
    [['help', 'lss'], /there is no command "lss"\n {2}Did you mean ls\?/],
    [['completion', 'tcsh'], /Allowed choices are bash, zsh, fish/],
  ])('%j', async (argv, message) => {
    const { code, out, err } = await makeHarness().tiny(argv);
    expect(err).toMatch(message);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});

describe('help', () => {
  it.each([[[]], [['help']], [['--help']]])('%j lists every command on stdout, with examples', async (argv) => {
    const { code, out, err } = await makeHarness().tiny(argv);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const { name } of REGISTRY) expect(out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    expect(out).toContain('Examples:');
  });

  it.each(REGISTRY.map(({ name }) => name))('of %s tells its own and the global flags', async (name) => {
    const { code, out } = await makeHarness().tiny(['help', name]);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^Usage: tiny ${name}`));
    expect(out).toContain('--kubeconfig <file>');
  });

  it('under kubectl says kubectl tiny', async () => {
    const { out } = await makeHarness().tiny(['help', 'new'], { deps: { program: 'kubectl tiny' } });
    expect(out).toMatch(/^Usage: kubectl tiny new/);
    expect(out).toContain('kubectl tiny new "Fix the flaky login test"');
  });
});

it('global flags hold before and after the command', async () => {
  const { tiny, fake } = makeHarness();
  fake.put(SESSIONS, { ...session('a'), metadata: { name: 'a', namespace: 'x' } });
  for (const argv of [
    ['-n', 'x', 'ls', '-o', 'name'],
    ['ls', '-n', 'x', '-o', 'name'],
    ['-o', 'name', '-n', 'x', 'ls'],
  ]) {
    expect((await tiny(argv)).out).toBe('session.tiny.dev/a\n');
  }
});

it.each([
  [['rm', 'a', '-o', 'json'], 'rm takes no -o json'],
  [['logs', 'a', '-o', 'yaml'], 'logs takes no -o yaml'],
  [['new', 'x', '-o', 'wide'], 'new takes no -o wide'],
  [['-o', 'json', 'up'], 'up takes no -o json'],
  [['down', '-o', 'json'], 'down takes no -o json'],
  [['completion', 'bash', '-o', 'name'], 'completion takes no -o name'],
  [['replay', 'x', '-o', 'json'], 'replay takes -o only with --dry-run'],
])('a format that would be passed over is refused: %j', async (argv, message) => {
  const { tiny, fake } = makeHarness();
  fake.put(SESSIONS, session('a'));
  expect(await tiny(argv)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) });
  expect(fake.requests).toEqual([]);
});

it('--verbose tells each request, and no body', async () => {
  const { tiny } = makeHarness();
  const { err } = await tiny(['new', 'a secret prompt', '--name', 'a', '-v']);
  expect(err).toMatch(/^create sessions a: ok, 0 ms$/m);
  expect(err).not.toContain('secret');
});

it('Ctrl-C is 130 without a word', async () => {
  const { tiny, fake } = makeHarness();
  const stop = new AbortController();
  fake.fault = (request) => {
    if (request === 'WATCH sessions') stop.abort();
  };
  expect(await tiny(['ls', '-w'], { signal: stop.signal })).toMatchObject({ code: 130, out: '', err: '' });
});

it('what nobody expected is exit 1 and says how to learn more', async () => {
  const { tiny, fake } = makeHarness();
  fake.fault = () => {
    throw new TypeError('x is not a function');
  };
  const { code, err } = await tiny(['ls']);
  expect(code).toBe(1);
  expect(err).toContain('x is not a function');
  expect(err).toContain('--verbose');
});
