/** SIGKILL of the local cluster, of an agent and of its tools, in the middle of what they do. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONTINUE } from '../../agent/harness/prompt.ts';
import { isTrue } from '../../lib/api/conditions.ts';
import { SESSIONS } from '../../lib/kube/types.ts';
import type { GitServer } from '../../local/git-server.ts';
import { Local, script, serveRepository, until } from './local.ts';

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

const make = (name: string, prompt: string) =>
  local.make(name, { prompt, repository: { url: `${git.url}/project.git`, depth: 1 } });

const WORK = script(
  { edit: { file: 'log', append: 'begun\n' } },
  { status: 'half-way' },
  { waitFor: { file: 'go' } },
  { edit: { file: 'log', append: 'done\n' } },
  { commit: 'Work' },
);
const ASK = script({ ask: { text: 'Which?', options: ['left', 'right'], into: 'choice' } }, { commit: 'Choice' });

const PROPOSE = script({ spawn: { name: 'proposed', prompt: 'hello' } });

const isHalfWay = (name: string) => local.session(name, 'half-way', ({ status }) => status?.message === 'half-way');
const isWaiting = (name: string) => local.session(name, 'to wait', (one) => isTrue(one, 'Waiting'));
const inRepo = async (name: string, file: string) => join(await local.volume(name), 'repo/repo', file);
const goOn = async (name: string) => writeFileSync(await inRepo(name, 'go'), '');
const commits = (name: string) => local.get(SESSIONS, name).then((one) => one?.status?.result?.commits);

/** The prompt reached the agent once; what else it heard is that it is to go on, and what has come of its questions. */
async function heardOnce(name: string, prompt: string): Promise<void> {
  const heard = await local.heard(name);
  expect(
    heard.filter((text) => !text.startsWith(CONTINUE)),
    name,
  ).toEqual([prompt]);
}

async function choose(session: string, option: string): Promise<void> {
  const { metadata } = await local.question(session);
  await local.ok('--context', 'tiny-local-bob', 'answer', metadata.name, option);
}

/** The most processes of one Session's agent that were seen at a time. */
function watchTwins(names: string[]): { stop(): Record<string, number> } {
  const most = Object.fromEntries(names.map((name) => [name, 0]));
  const look = () => {
    const all = local.processes();
    for (const name of names) most[name] = Math.max(most[name] ?? 0, local.processesOf(name, 'harness', all).length);
  };
  const timer = setInterval(look, 40);
  return {
    stop: () => {
      clearInterval(timer);
      return most;
    },
  };
}

test('a killed agent goes on with its turn, a killed tools sidecar is asked again; nothing is said or done twice', async () => {
  await make('works', WORK);
  await make('asks', ASK);
  await Promise.all([isHalfWay('works'), isWaiting('asks')]);
  const question = await local.question('asks');
  for (const program of ['harness', 'tools'] as const) {
    for (const name of ['works', 'asks']) {
      const old = local.processesOf(name, program)[0]?.pid ?? expect.fail(`no ${program} of ${name}`);
      process.kill(old, 'SIGKILL');
      await until(`another ${program}`, () => local.processesOf(name, program).some(({ pid }) => pid !== old));
    }
  }
  expect(local.processesOf('works', 'harness')).toHaveLength(1);
  await goOn('works');
  await choose('asks', question.spec.options?.[0]?.id ?? '');
  await Promise.all([local.finished('works'), local.finished('asks')]);
  expect(readFileSync(await inRepo('works', 'log'), 'utf8')).toBe('begun\ndone\n');
  expect(readFileSync(await inRepo('asks', 'choice'), 'utf8')).toContain('left');
  expect([await commits('works'), await commits('asks')]).toEqual([1, 1]);
  expect(local.made('questions.tiny.dev', 'asks')).toBe(1);
  await heardOnce('works', WORK);
  await heardOnce('asks', ASK);
  await local.noPods();
});

test('after a kill of the cluster everything goes on: nothing acknowledged is lost, nothing runs or is said twice', async () => {
  await make('busy', WORK);
  await make('open', PROPOSE);
  await Promise.all([isHalfWay('busy'), isWaiting('open')]);
  const { metadata } = await local.question('open');
  const before = local.processes().map(({ pid }) => pid);
  await local.ok('new', '--agent', 'rehearsal', '--suspend', '--name', 'new-0', 'hello');
  await local.kill();
  expect(local.processesOf('busy', 'harness'), 'what is tested: its processes outlive it').toHaveLength(1);
  const twins = watchTwins(['busy', 'open', 'proposed']);
  await local.up();
  expect((await local.question('open')).metadata.uid).toBe(metadata.uid);
  await until('no process of the earlier run', () => !local.processes().some(({ pid }) => before.includes(pid)));
  await local.make('new-1', { suspend: true });
  await local.ok('--context', 'tiny-local-bob', 'y', metadata.name);
  await local.kill();
  await local.up();
  // The events of what was done right before a kill may be lost, as in Knative: then a touch makes up for it.
  await local.ok('touch', '--take-over', '--yes', 'new-0', 'new-1', `question/${metadata.name}`);
  expect(await local.acted(metadata.name)).toMatchObject({ reason: 'Spawned' });
  expect((await local.get(SESSIONS, 'proposed'))?.spec.requester?.username).toBe('bob');
  await local.ok('--context', 'tiny-local-bob', 'touch', 'proposed');
  await goOn('busy');
  for (const name of ['busy', 'open', 'proposed']) await local.finished(name);
  await Promise.all([local.materialised('new-0'), local.materialised('new-1')]);
  await local.noPods();
  expect(twins.stop()).toEqual({ busy: 1, open: 1, proposed: 1 });
  expect(readFileSync(await inRepo('busy', 'log'), 'utf8')).toBe('begun\ndone\n');
  expect(await commits('busy')).toBe(1);
  for (const name of ['busy', 'open', 'proposed', 'new-0', 'new-1']) {
    expect(local.made('sessions.tiny.dev', name), name).toBe(1);
    expect(local.made('deployments.apps', name), name).toBe(1);
    expect(local.made('persistentvolumeclaims', name), name).toBe(1);
  }
  expect(local.made('questions.tiny.dev', 'open')).toBe(1);
  await heardOnce('busy', WORK);
  await heardOnce('open', PROPOSE);
  await heardOnce('proposed', 'hello');
});
