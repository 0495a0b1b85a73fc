/** Who may do what, with real tokens: people against each other's Sessions, clients that lie, and the agent's own token. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { FakeSlack } from '../../bench/fake-slack.ts';
import { CHANNEL, pressBody, SECRET, signedBySlack, TEAM } from '../../build/slack-press.ts';
import type { Question } from '../../lib/api/question.ts';
import { readManifests } from '../../lib/install/manifests.ts';
import { makeClient } from '../../lib/kube/client.ts';
import { loadKubeconfig } from '../../lib/kube/kubeconfig.ts';
import { type Client, CONFIG_MAPS, PODS, QUESTIONS, SECRETS, SESSIONS } from '../../lib/kube/types.ts';
import { SERVICES } from '../../local/functions/service.ts';
import { Local, NAMESPACE, script, sessionNamed, until } from './local.ts';

const local = new Local();
beforeAll(() => local.up());
afterAll(() => local.end());

const ref = (name: string) => ({ namespace: NAMESPACE, name });
const answer = (option: string, rest: object = {}) => ({
  type: 'merge' as const,
  body: { spec: { answer: { option, ...rest } } },
});
const LIAR = { username: 'mallory', groups: ['system:masters'] };

/** What the agent of a Session could do with the token that lies in its pod. */
function agentOf(session: string): Client {
  const [tools] = local.processesOf(session, 'tools');
  const folder = /^TINY_CREDENTIALS=(.*)$/m.exec(tools?.environ ?? '')?.[1] ?? expect.fail('no tools');
  const { config } = loadKubeconfig({ files: [local.kubeconfig], now: Date.now });
  const auth = { token: readFileSync(join(folder, 'token'), 'utf8') };
  return makeClient({ ...config, auth, fieldManager: 'tiny-agent' });
}

test('whoever changes a Session becomes its requester; what a client writes there counts for nothing', async () => {
  const made = await local
    .client('bob')
    .create(SESSIONS, sessionNamed('bobs', { suspend: true, requester: LIAR } as never));
  expect(made.spec.requester).toMatchObject({ username: 'bob' });
  await local.materialised('bobs');
  const lied = { type: 'merge', body: { spec: { requester: LIAR } } } as const;
  expect((await local.client('alice').patch(SESSIONS, ref('bobs'), lied)).spec.requester?.username).toBe('bob');
  const careless = await local.as('alice', 'resume', 'bobs');
  expect(careless).toMatchObject({ code: 1, err: expect.stringContaining('acts for bob, not for you') });
  const taken = await local.as('alice', 'resume', '--take-over', '--yes', 'bobs');
  expect(taken.code, taken.err).toBe(0);
  const { spec } = await local.finished('bobs');
  expect(spec.requester?.username).toBe('alice');
  const patched = local.deeds().filter(({ verb, resource }) => verb === 'patch' && resource === 'deployments.apps');
  expect(new Set(patched.map(({ impersonatedUser }) => impersonatedUser))).toEqual(new Set(['alice']));
  const refused = await local.as('carol', 'suspend', '--take-over', '--yes', 'bobs');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('you are carol and may not patch sessions.tiny.dev');
});

test('the agent’s token asks and reports for its own Session, and is good for nothing else', async () => {
  await local.make('agent', { prompt: script({ ask: { text: 'Well?', options: ['yes', 'no'] } }) });
  const question = await local.question('agent');
  const agent = agentOf('agent');
  const refused = (what: Promise<unknown>, why: RegExp) =>
    expect(what).rejects.toMatchObject({ code: 403, message: expect.stringMatching(why) });
  expect((await agent.get(SESSIONS, ref('agent')))?.metadata.name).toBe('agent');
  await refused(agent.patch(QUESTIONS, ref(question.metadata.name), answer('yes')), /cannot patch|a person answers/);
  await refused(agent.patch(SESSIONS, ref('agent'), { type: 'merge', body: { spec: { suspend: true } } }), /cannot/);
  await refused(agent.create(SESSIONS, sessionNamed('more', {})), /cannot create/);
  const status = { conditions: [], message: 'mine now' };
  await refused(
    agent.applyStatus(SESSIONS, { ...sessionNamed('bobs', {}), metadata: ref('bobs'), status } as never),
    /its own Session only/,
  );
  const [secret = ''] = await local.names(SECRETS, 'tiny.dev/session=agent');
  await refused(agent.get(SECRETS, ref(secret)), /cannot get resource "secrets"/);
  await refused(agent.list(SECRETS, { namespace: NAMESPACE }), /cannot list resource "secrets"/);
  const foreign = { ...question, metadata: ref('foreign'), spec: { ...question.spec, session: 'bobs' } } as Question;
  await refused(agent.create(QUESTIONS, foreign), /in that Session's name only/);
  await refused(agent.as({ username: 'alice' }).list(SESSIONS, { namespace: NAMESPACE }), /impersonate/);

  const both = await Promise.all([
    local.as('alice', 'answer', question.metadata.name, 'yes'),
    local.as('bob', 'answer', question.metadata.name, 'no'),
  ]);
  const { spec } = (await local.get(QUESTIONS, question.metadata.name)) ?? expect.fail('gone');
  const winner = spec.answer?.by?.username ?? '';
  expect(both.map(({ code }) => code)).toEqual(winner === 'alice' ? [0, 1] : [1, 0]);
  expect(both[winner === 'alice' ? 1 : 0]?.err).toContain(`was answered by ${winner}`);
  await local.finished('agent');
  expect((await local.tiny('show', 'agent')).code).toBe(0);
  await until('the token to be worth nothing', async () => {
    if ((await local.names(PODS, 'tiny.dev/session=agent')).length) return false;
    return agent.get(SESSIONS, ref('agent')).then(
      () => false,
      (error: { code?: number }) => error.code === 401,
    );
  });
});

test('who answered is stamped, whatever the client wrote', async () => {
  const spec = { session: 'bobs', kind: 'Ask', text: 'Who?', options: [{ id: 'me', text: 'Me' }] };
  const question = { apiVersion: 'tiny.dev/v1alpha1', kind: 'Question', metadata: ref('who'), spec } as Question;
  await local.client('alice').create(QUESTIONS, question);
  const answered = await local.client('bob').patch(QUESTIONS, ref('who'), answer('me', { by: LIAR }));
  expect(answered.spec.answer?.by).toMatchObject({ username: 'bob' });
  const again = local.client('alice').patch(QUESTIONS, ref('who'), answer('me', { by: LIAR }));
  await expect(again).resolves.toMatchObject({ spec: { answer: { by: { username: 'bob' } } } });
  expect(await local.acted('who')).toMatchObject({ status: 'True', reason: 'Told' });
});

test('an answer after the expiry does nothing: the agent has gone on without', async () => {
  const prompt = script(
    { ask: { text: 'Quick?', options: ['yes', 'no'], expires_in: '1s', into: 'choice' } },
    { wait: 0 },
  );
  await local.make('late', { prompt });
  const { metadata, spec } = await local.question('late');
  await local.finished('late');
  // When an answer came is kept in whole seconds.
  const over = (Math.floor(Date.parse(spec.expiresAt ?? '') / 1000) + 1) * 1000;
  await until('the second of its expiry to be over', () => Date.now() >= over);
  const refused = await local.as('bob', 'answer', metadata.name, 'yes');
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/expired at .*nothing was done/);
  await local.client('bob').patch(QUESTIONS, ref(metadata.name), answer('yes'));
  expect(await local.acted(metadata.name)).toMatchObject({ status: 'False', reason: 'Expired' });
  const choice = readFileSync(join(await local.volume('late'), 'repo/repo/choice'), 'utf8');
  expect(choice).toContain('Nobody answered in time');
});

test('a Question of a deleted Session goes with it, and who answers it is told so', async () => {
  await local.make('brief', { prompt: script({ spawn: { name: 'orphan', prompt: 'hello' } }) });
  const { metadata } = await local.question('brief');
  const [removed, answered] = await Promise.all([
    local.as('alice', 'rm', 'brief', '--wait'),
    until('the Question to go', async () => !(await local.get(QUESTIONS, metadata.name))).then(() =>
      local.as('bob', 'y', metadata.name),
    ),
  ]);
  expect(removed.code).toBe(0);
  expect(answered.code).toBe(1);
  expect(answered.err).toContain(`Question "${metadata.name}" was not found`);
  expect(await local.get(SESSIONS, 'orphan')).toBeUndefined();
  await local.noPods();
});

test('a Question is told in Slack, a press answers it as who has pressed, and the message says what came of it', async () => {
  const slack = new FakeSlack();
  const { url, server } = await slack.listen();
  onTestFinished(() => void server.close());
  const admin = local.client();
  const named = (kind: string, name: string, data: Record<string, string>) => {
    const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    const metadata = { name, namespace: kind === 'Secret' ? 'tiny-system' : NAMESPACE };
    return { apiVersion: 'v1', kind, metadata, data: kind === 'Secret' ? Object.fromEntries(encoded) : data };
  };
  const people = [{ username: 'alice', groups: ['team'], slack: [`${TEAM}/U0000001`] }];
  await admin.create(SECRETS, named('Secret', 'tiny-channels', { 'signing-secret': SECRET, 'bot-token': 'xoxb' }));
  await admin.create(SECRETS, named('Secret', 'tiny-identities', { 'identities.json': JSON.stringify({ people }) }));
  await admin.apply(CONFIG_MAPS, named('ConfigMap', 'tiny-settings', { 'channels.slack': CHANNEL }));
  for (const made of readManifests(join(import.meta.dirname, '../../knative/slack')))
    await admin.create(SERVICES, made as never);
  const env = {
    op: 'add' as const,
    path: '/spec/template/spec/containers/0/env/-',
    value: { name: 'TINY_SLACK_API', value: url },
  };
  for (const name of ['slack', 'question'])
    await admin.patch(SERVICES, { namespace: 'tiny-system', name }, { type: 'json', body: [env] });
  for (const name of ['slack', 'question'])
    await until(`function ${name} to be served as it is now`, async () => {
      const service = await admin.get(SERVICES, { namespace: 'tiny-system', name });
      const status = service?.status as { observedGeneration?: number } | undefined;
      return status?.observedGeneration === service?.metadata.generation;
    });

  await local.make('slack', { prompt: script({ ask: { text: 'Well?', options: ['yes', 'no'] } }) }, 'bob');
  const question = await local.question('slack');
  const [message] = await until('the message', () => (slack.messages.length ? slack.messages : undefined));
  const block = message?.blocks.find(({ type }) => type === 'actions')?.block_id ?? '';
  const press = signedBySlack(
    pressBody({ user: 'U0000001', block, option: 'yes', ts: message?.ts ?? '' }),
    Math.floor(Date.now() / 1000),
  );
  const headers = press.headers;
  const answered = await fetch(await local.functionUrl('slack'), {
    method: 'POST',
    headers,
    body: press.body.toString(),
  });
  expect(answered.status).toBe(200);
  await local.finished('slack');
  expect((await local.get(QUESTIONS, question.metadata.name))?.spec.answer).toMatchObject({
    option: 'yes',
    by: { username: 'alice' },
  });
  await until('the message to say so', () => JSON.stringify(message?.blocks).includes('Answered by alice'));
  expect([slack.messages.length, slack.whispers]).toEqual([1, []]);
});
