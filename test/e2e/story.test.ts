/** The README's five minutes, as a person plays them: with `tiny`, and the same seen with kubectl. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isTrue } from '../../lib/api/conditions.ts';
import type { GitServer } from '../../local/git-server.ts';
import { Local, type Ran, run, serveRepository, until } from './local.ts';

const local = new Local();
let git: GitServer;
beforeAll(async () => {
  git = await serveRepository(local);
  await local.up();
});
afterAll(async () => {
  await local.end();
  await git.stop();
});

const PROMPT = `
- status: writing a greeting
- edit: { file: hello.md, text: "hello\\n" }
- commit: Say hello
- ask: { text: Which colour?, options: [Red, Blue] }
- spawn: { name: helper, prompt: "- say: I am the child" }
- say: done
`;

/** Why the tests with kubectl are left out; undefined where they are not. */
function noKubectl(): string | undefined {
  try {
    const { clientVersion } = JSON.parse(execFileSync('kubectl', ['version', '--client', '-o', 'json']).toString());
    const minor = Number.parseInt(clientVersion.minor, 10);
    return minor >= 32 ? undefined : `kubectl 1.${minor} is older than 1.32`;
  } catch {
    return 'there is no kubectl';
  }
}
const missing = noKubectl();
if (missing) process.stderr.write(`not tested with kubectl: ${missing}\n`);

const kubectl = (argv: string[], input = ''): Promise<Ran> => run(['kubectl', ...argv], { env: local.env, input });
const words = (text: string) => text.split('\n').map((line) => line.split(/\s{2,}/));

test('a Session is made, works, asks, is answered, makes a child as the answerer, and is told more', async () => {
  expect(
    await local.ok('new', '--agent', 'rehearsal', '--name', 'hello', '--repo', `${git.url}/project.git`, '--', PROMPT),
  ).toBe('session.tiny.dev/hello created\n');
  const asked = await local.question('hello');
  // The Question is there a moment before the Session says that it waits.
  await local.session('hello', 'to wait', (one) => isTrue(one, 'Waiting'));
  const [head, row] = words(await local.ok('ls'));
  expect(head).toEqual(['NAME', 'STATE', 'AGENT', 'REQUESTER', 'AGE', 'MESSAGE']);
  expect(row?.slice(0, 4)).toEqual(['hello', 'Waiting', 'rehearsal', 'me']);
  const questions = await local.ok('questions');
  expect(questions).toContain(asked.metadata.name);
  expect(questions).toContain('Which colour?');
  const follow = local.tiny('logs', '-f', 'hello');
  expect(await local.ok('answer', asked.metadata.name, 'red')).toBe(
    `question.tiny.dev/${asked.metadata.name} answered red\n`,
  );
  const spawn = await until('the proposal', async () => {
    const found = await local.question('hello');
    return found.spec.kind === 'Spawn' ? found : undefined;
  });
  const unnamed = await local.as('bob', 'y');
  expect(unnamed).toMatchObject({ code: 2, err: expect.stringContaining('hello asks (Session helper)') });
  const yes = await local.as('bob', 'y', spawn.metadata.name);
  expect(yes).toMatchObject({ code: 0, out: `question.tiny.dev/${spawn.metadata.name} answered allow\n` });
  await local.finished('hello');
  expect((await local.finished('helper')).spec.requester?.username).toBe('bob');
  const { out, code } = await follow;
  expect(code).toBe(0);
  for (const part of ['answer: Red', 'spawned: ', 'done']) expect(out).toContain(part);
  const shown = await local.ok('show', 'hello');
  for (const part of [/^State: +Finished$/m, /^ *Commits: +1$/m, /^ *helper /m]) expect(shown).toMatch(part);
});

test('finished Sessions hold no pod, idle functions are at zero, and a message wakes one and is said once', async () => {
  await local.noPods();
  await local.functionsAtZero();
  expect(await local.ok('status')).toContain('running: 0 pods, 0 functions');
  expect(await local.ok('send', 'hello', '--id', 'more', 'and now the tests')).toContain('was sent message more');
  const again = await local.tiny('send', 'hello', '--id', 'more', 'and now the tests');
  expect(again).toMatchObject({ code: 0, out: '' });
  await local.session('hello', 'to read the message', ({ status }) => status?.messagesRead === 1);
  await local.finished('hello');
  await local.noPods();
  expect((await local.heard('hello')).filter((text) => text.includes('and now the tests'))).toHaveLength(1);
});

test('what was said is told of a Session that sleeps, and another goes on from its archive and from itself', async () => {
  const shown = await local.tiny('logs', 'hello');
  expect(shown).toMatchObject({ code: 0, err: expect.stringContaining('one is made to read its volume') });
  for (const part of ['answer: Red', '* edit: ', '> and now the tests', '= Completed: '])
    expect(shown.out).toContain(part);
  const raw = (await local.ok('logs', 'hello', '--raw')).trim().split('\n');
  expect(raw.map((line) => JSON.parse(line).seq)).toEqual(raw.map((_, index) => index + 1));
  const archive = join(local.folder, 'hello.tar.gz');
  await local.ok('export', 'hello', archive);
  for (const [from, name] of [
    [archive, 'again'],
    ['hello', 'copied'],
  ] as const) {
    await local.ok('new', '--from', from, '--name', name, '[{run: cat hello.md}, {say: and on}]');
    await local.finished(name);
    expect((await local.heard(name)).filter((text) => text.includes('and now the tests'))).toHaveLength(1);
  }
  await local.noPods();
  const said = await local.ok('logs', 'copied', '--full');
  for (const part of ['answer: Red', '- goes on from Session hello', '  | hello', 'and on'])
    expect(said).toContain(part);
  expect(await local.ok('audit')).toMatch(/create +pods +again-load-\w+ +me/);
  await local.ok('rm', 'again', 'copied', '--wait');
});

test('a prompt that looks like an option is refused with what to do', async () => {
  const { code, err } = await local.tiny('new', '- fix the login\n- test it');
  expect(code).toBe(2);
  expect(err).toContain('stands after --');
});

test('a suspended Session holds no pod, and goes on when resumed', async () => {
  await local.ok('new', '--agent', 'rehearsal', '--name', 'long', '[{ask: {text: Well?, options: [Yes]}}]');
  await local.question('long');
  expect(await local.ok('suspend', 'long')).toBe('session.tiny.dev/long suspended\n');
  await local.noPods();
  expect(await local.ok('ls')).toMatch(/^long +(Waiting|Suspended) /m);
  expect(await local.ok('resume', 'long')).toBe('session.tiny.dev/long resumed\n');
  await local.ok('answer', (await local.question('long')).metadata.name, 'yes');
  await local.finished('long');
});

test.skipIf(missing)('kubectl gets, describes, waits for and explains the same', async () => {
  const [head, ...rows] = words((await kubectl(['get', 'sessions'])).out);
  expect(head?.[0]).toBe('NAME');
  expect(rows.map(([name]) => name).filter(Boolean)).toEqual(['hello', 'helper', 'long']);
  const described = await kubectl(['describe', 'session', 'hello']);
  expect(described).toMatchObject({ code: 0, out: expect.stringContaining('Requester') });
  const waited = await kubectl(['wait', '--for=condition=Finished', '--timeout=10s', 'session/hello', 'session/long']);
  expect(waited).toMatchObject({ code: 0, out: expect.stringContaining('session.tiny.dev/hello condition met') });
  expect((await kubectl(['get', 'tiny', '-o', 'name'])).out).toContain('question.tiny.dev/hello-');
  expect((await kubectl(['explain', 'session.spec.prompt'])).out).toContain('What the agent is to do');
  expect((await kubectl(['auth', 'can-i', 'create', 'sessions', '--context', 'tiny-local-carol'])).out.trim()).toBe(
    'no',
  );
});

test('the audit log names who did it, and rm leaves nothing', async () => {
  const audit = await local.ok('audit');
  expect(audit).toMatch(/create +sessions\.tiny\.dev +helper +system:serviceaccount:tiny-system:question +bob/);
  expect(audit).toMatch(/create +deployments\.apps +hello +system:serviceaccount:tiny-system:session +me/);
  const removed = await local.ok('rm', '--all', '--wait');
  expect(removed.trim().split('\n').toSorted()).toEqual([
    'session.tiny.dev/hello deleted',
    'session.tiny.dev/helper deleted',
    'session.tiny.dev/long deleted',
  ]);
  for (const plural of ['deployments.apps', 'persistentvolumeclaims', 'secrets', 'questions.tiny.dev', 'pods']) {
    const [resource = '', group] = plural.split('.', 2);
    const type = { group: group === 'apps' ? 'apps' : group ? 'tiny.dev' : '', plural: resource };
    await until(`no ${plural}`, async () => {
      const version = type.group === 'tiny.dev' ? 'v1alpha1' : 'v1';
      return (await local.names({ ...type, version, kind: '', namespaced: true })).length === 0;
    });
  }
  await local.functionsAtZero();
});
