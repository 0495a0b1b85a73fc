/** Sessions at and over every limit, byte for byte, and Sessions that come and go while they are being made. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findCondition } from '../../lib/api/conditions.ts';
import { CLAIMS, DEPLOYMENTS, NETWORK_POLICIES, PODS, QUESTIONS, SECRETS, SESSIONS } from '../../lib/kube/types.ts';
import { Local, NAMESPACE, run, script, serveRepository, sessionNamed, until } from './local.ts';

const local = new Local();
beforeAll(() => local.up());
afterAll(() => local.end());

const KIB = 1024;
const NASTY =
  'quotes " \' ` $(touch /tmp/owned) $HOME \\ %s\r\n\u0000 \u2028 \u{1F600} \u05E9\u05DC\u05D5\u05DD \u202E end\r\n';
const ref = (name: string) => ({ namespace: NAMESPACE, name });

/** A text of exactly so many bytes that holds everything nasty. */
const sized = (bytes: number): string => NASTY + 'x'.repeat(bytes - Buffer.byteLength(NASTY));

test('prompts reach the agent byte for byte, from an argument, a file and stdin, and past the limit nothing is made', async () => {
  const prompts: Record<string, string> = {
    argument: `${sized(127 * KIB).replaceAll('\0', ' ')}`,
    file: sized(129 * KIB),
    stdin: sized(256 * KIB),
  };
  const NEW = ['new', '--agent', 'rehearsal', '--name'];
  expect(await local.run([...NEW, 'argument', '--', prompts['argument'] ?? ''])).toMatchObject({ code: 0 });
  await local.ok(...NEW, 'file', '-f', local.write('prompt.md', prompts['file'] ?? ''));
  expect(await local.run([...NEW, 'stdin', '-'], { input: prompts['stdin'] ?? '' })).toMatchObject({ code: 0 });
  const { code, err } = await local.run([...NEW, 'huge', '-f', '-'], { input: 'x'.repeat(KIB * KIB) });
  expect(code).toBe(2);
  expect(err).toContain('the prompt has 1048576 bytes, and at most 262144 (256 KiB) are taken');
  expect(err).toContain('Put longer text into a file of the repository');
  for (const [name, prompt] of Object.entries(prompts)) {
    await local.finished(name);
    const [heard = '', ...more] = await local.heard(name);
    expect(more).toEqual([]);
    expect(heard === prompt, `${name}: ${heard.length} characters instead of ${prompt.length}`).toBe(true);
  }
  expect(await local.get(SESSIONS, 'huge')).toBeUndefined();
  expect(execFileSync('ls', ['/tmp']).toString().split('\n')).not.toContain('owned');
});

test('a prompt stands in no process’s arguments or environment, and in no log of a function', async () => {
  const prompt = script({ say: 'MAGIC-WORD' }, { status: 'here' }, { waitFor: { file: 'go' } });
  await local.make('hidden', { prompt });
  await local.session('hidden', 'to work', ({ status }) => status?.message === 'here');
  const all = local.processes();
  for (const program of ['harness', 'tools', 'rehearsal', 'connect'])
    expect(all.filter(({ argv }) => argv.includes(`${program}.cjs`)).length, program).toBeGreaterThan(0);
  for (const { argv, environ } of all) expect(argv + environ).not.toContain('MAGIC-WORD');
  const logs = execFileSync('grep', ['-rlZ', 'MAGIC-WORD', local.data]).toString().split('\0');
  expect(logs.filter((file) => file.includes('/functions/') || file.endsWith('up.log'))).toEqual([]);
  writeFileSync(join(await local.volume('hidden'), 'repo/repo/go'), '');
  await local.finished('hidden');
});

test('a name of 40 characters works to the end; one of 41 is refused with what to do', async () => {
  const longest = `a-${'x'.repeat(38)}`;
  await local.ok('new', '--agent', 'rehearsal', '--name', longest, 'x');
  await local.finished(longest);
  expect(await local.heard(longest)).toEqual(['x']);
  expect(await local.names(CLAIMS, `tiny.dev/session=${longest}`)).toEqual([longest]);
  const tooLong = await local.tiny('new', '--agent', 'rehearsal', '--name', `${longest}y`, 'hello');
  expect(tooLong.code).toBe(2);
  expect(tooLong.err).toContain('at most 40 characters');
  await expect(local.make(`${longest}y`, {})).rejects.toMatchObject({ code: 422 });
});

const URLS = [
  '/etc',
  './here',
  'file:///etc/passwd',
  '--upload-pack=touch /tmp/owned',
  'ext::sh -c id',
  'https://me:secret@git.example/x.git',
  'http://169.254.169.254/latest/x.git',
  'http://metadata.google.internal/x.git',
  'http://2852039166/x.git',
  'http://[fd00:ec2::254]/x.git',
];

test('a repository that is a path, an option, holds a password or is a metadata address is refused', async () => {
  const refused = await Promise.all(
    URLS.slice(0, 7).map((url) =>
      local.tiny('new', '--agent', 'rehearsal', '--name', 'nope', `--repo=${url}`, 'hello'),
    ),
  );
  for (const { code, err } of refused) {
    expect(code).toBe(2);
    expect(err).toMatch(/^error: --repo: must /);
    expect(err).not.toContain('me:secret');
  }
  for (const url of URLS) {
    const made = local.make('nope', { repository: { url, depth: 1 } });
    await expect(made, url).rejects.toMatchObject({ code: 422, message: expect.stringContaining('must ') });
  }
  const yaml = JSON.stringify(sessionNamed('nope', { repository: { url: '/etc', depth: 1 } }));
  const applied = await run(['kubectl', 'apply', '-f', '-'], { env: local.env, input: yaml }).catch(() => undefined);
  if (applied) {
    expect(applied.code).toBe(1);
    expect(applied.err).toContain('must be https://HOST/PATH');
  }
});

test('a private repository is cloned and, after a yes, pushed to, with credentials that no part of the agent has', async () => {
  const credentials = { username: 'bot', password: 'PUSH-hunter2-hunter2' };
  const server = await serveRepository(local, { credentials, pushes: true });
  const data = (values: object) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
  const keep = (name: string, values: object) =>
    local
      .client()
      .create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: ref(name), data: data(values) } as never);
  await Promise.all([keep('git', credentials), keep('model', { MODEL_KEY: 'MODEL-hunter2-hunter2' })]);
  const prompt = script(
    { status: 'the key is MODEL-hunter2-hunter2' },
    { edit: { file: 'a', text: 'x\n' } },
    { commit: 'Add a' },
    { push: true },
    { waitFor: { file: '.git/go' } },
  );
  const repository = {
    url: `${server.url}/project.git`,
    depth: 1,
    credentialsSecret: 'git',
    push: { credentialsSecret: 'git', unasked: false },
  };
  await local.make('private', { prompt, repository, credentials: [{ secret: 'model' }] });
  const { metadata, spec } = await local.question('private');
  expect(spec).toMatchObject({
    kind: 'Permit',
    text: expect.stringContaining('push 1 commit to the branch tiny/private'),
  });
  for (const { argv, environ } of local.processes()) expect(argv + environ).not.toContain('PUSH-hunter2');
  await local.as('bob', 'answer', metadata.name, 'allow', '--yes');
  const pushed = await local.session('private', 'to push', ({ status }) => status?.result?.pushed);
  writeFileSync(join(await local.volume('private'), 'repo/repo/.git/go'), '');
  const { status } = await local.finished('private');
  expect(status?.result?.pushed).toEqual(pushed.status?.result?.pushed);
  expect(status?.result).toMatchObject({
    commits: 1,
    pushed: { branch: 'tiny/private', commit: status?.result?.commit },
  });
  const tip = execFileSync('git', ['--git-dir', join(local.folder, 'git/project.git'), 'rev-parse', 'tiny/private']);
  expect(tip.toString().trim()).toBe(status?.result?.commit);
  const [session, questions] = [await local.get(SESSIONS, 'private'), await local.names(QUESTIONS)];
  const told = JSON.stringify([session?.status, await Promise.all(questions.map((one) => local.get(QUESTIONS, one)))]);
  expect(told).not.toMatch(/hunter2/);
  expect(session?.status?.message ?? '').not.toContain('MODEL');
  const found = await run(['grep', '-rlE', '(PUSH|MODEL)-hunter2', join(local.data, 'node/pods')], { env: local.env });
  expect(found).toMatchObject({ code: 1, out: '' });
  await server.stop();
});

test('a Session deleted while it is being made leaves nothing', async () => {
  for (let turn = 0; turn < 8; turn++) {
    const name = `gone-${turn}`;
    await local.make(name, { suspend: turn % 4 !== 3 });
    // The delay is what is varied: each falls between other writes.
    await setTimeout(turn * 12);
    await local.client('alice').delete(SESSIONS, ref(name));
  }
  for (const type of [CLAIMS, SECRETS, NETWORK_POLICIES, DEPLOYMENTS, PODS, SESSIONS]) {
    await until(`no ${type.plural}`, async () => !(await local.names(type)).some((name) => name.startsWith('gone-')));
  }
  expect(local.processes().filter(({ environ }) => environ.includes('TINY_SESSION=gone-'))).toEqual([]);
});

test('a Session deleted and made anew at once under its name ends up made, with nothing of its predecessor', async () => {
  const prompt = script({ status: 'here' }, { waitFor: { file: 'never' } });
  const first = await local.make('again', { prompt });
  await local.session('again', 'to work', ({ status }) => status?.message === 'here');
  const [old] = await local.names(PODS, 'tiny.dev/session=again');
  await local.client('alice').delete(SESSIONS, ref('again'));
  const second = await local.make('again', { prompt: 'hello' });
  expect(second.metadata.uid).not.toBe(first.metadata.uid);
  await local.finished('again');
  expect(await local.names(PODS)).not.toContain(old);
  for (const type of [CLAIMS, SECRETS, NETWORK_POLICIES, DEPLOYMENTS]) {
    const { items } = await local
      .client()
      .list(type, { namespace: NAMESPACE, labelSelector: 'tiny.dev/session=again' });
    expect(items.map(({ metadata }) => metadata.labels?.['tiny.dev/session-uid'])).toEqual([second.metadata.uid]);
  }
  expect(await local.heard('again')).toEqual(['hello']);
});

test('a stranger’s Deployment with our child’s name is named and left alone; once it is gone all goes on by itself', async () => {
  const labels = { app: 'strange' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'x', image: 'x' }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  const strange = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: ref('taken'), spec };
  const { metadata } = await local.client('alice').create(DEPLOYMENTS, strange as never);
  await local.make('taken', { suspend: true });
  const refused = await local.session('taken', 'to be refused', (one) => findCondition(one, 'Materialised'));
  expect(findCondition(refused, 'Materialised')).toMatchObject({
    status: 'False',
    reason: 'NameTaken',
    message: expect.stringContaining('Deployment "taken" exists already and does not belong to this object'),
  });
  expect(await local.ok('ls')).toMatch(/^taken +NameTaken .*Deployment "taken" exists already/m);
  expect((await local.get(DEPLOYMENTS, 'taken'))?.metadata.uid).toBe(metadata.uid);
  await local.client().delete(DEPLOYMENTS, ref('taken'));
  await local.materialised('taken');
  expect((await local.get(DEPLOYMENTS, 'taken'))?.metadata.labels?.['tiny.dev/session']).toBe('taken');
});
