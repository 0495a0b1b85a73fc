/** The agent, tied to its pod: pods and tokens here are made by the real controllers and the real API server. */
import type { V1PodSpec } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { type Client, PODS, QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { makeDeployment } from '../../lib/session/make-deployment.ts';
import { tokenFor } from './asker.ts';
import { answer, edit, question, refusal, session, spawning } from './objects.ts';
import type { World } from './world.ts';

const at = '2026-11-30T12:00:00Z';
const podSpecOf = (made: Stored<Session>) => makeDeployment(made, 1).spec.template.spec;
const says = (type: string, message = 'm') => ({ type, status: 'True', reason: 'R', message, lastTransitionTime: at });

export function agentCases(world: () => World): void {
  const report = (client: Client, session: string, status: object) =>
    client.request('PATCH', `/apis/tiny.dev/v1alpha1/namespaces/${session.replace('/', '/sessions/')}/status`, {
      status,
    });

  describe('an agent', () => {
    let ns = '';
    let agent: Client;
    let sibling: Client;

    test('comes up in a pod that a real ReplicaSet has named', async () => {
      ns = await world().project('agents');
      for (const name of ['a', 'a-b']) {
        await world().as('alice').create(SESSIONS, session(ns, name));
        expect(await world().runSession(ns, name)).toMatchObject({ kind: 'done' });
      }
      agent = await world().agentOf(ns, 'a');
      sibling = await world().agentOf(ns, 'a-b');
    });

    test('reports on its own Session, and asks in its name', async () => {
      const cost = { amount: '0.25', currency: 'USD' };
      const status = {
        message: 'working',
        messagesRead: 0,
        usage: { turns: 1, inputTokens: 2, outputTokens: 3, cachedTokens: 4, cost },
        budget: { tokens: 9, cost },
        plan: { done: 1, total: 2, current: 'the second' },
        waitingFor: ['a-0123456789'],
        conditions: [says('Ready'), says('Waiting')],
      };
      const live = await agent.get(SESSIONS, { namespace: ns, name: 'a' });
      const metadata = { namespace: ns, name: 'a', uid: live?.metadata.uid ?? '' };
      await agent.applyStatus(SESSIONS, { apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', metadata, status });
      await agent.create(QUESTIONS, question(ns, 'a'));
      await sibling.create(QUESTIONS, question(ns, 'a-b'));
    });

    test('does not report on a sibling, whose name begins as its own, or of which its own is the beginning', async () => {
      for (const [client, name] of [
        [agent, 'a-b'],
        [sibling, 'a'],
      ] as const) {
        const { code, message } = await refusal(report(client, `${ns}/${name}`, { message: 'lies' }));
        expect(code).toBe(403);
        expect(message).toContain('reports on its own Session only');
      }
    });

    test('sets no condition of the functions, and none of their fields', async () => {
      const live = await world().admin.get(SESSIONS, { namespace: ns, name: 'a' });
      const conditions = live?.status?.conditions ?? [];
      for (const type of ['Materialised', 'Suspended', 'Other']) {
        const lie = [...conditions.filter((one) => one.type !== type), says(type)];
        expect((await refusal(report(agent, `${ns}/a`, { conditions: lie }))).message).toContain(
          'an agent sets the conditions',
        );
      }
      const without = conditions.filter(({ type }) => type !== 'Materialised');
      expect((await refusal(report(agent, `${ns}/a`, { conditions: without }))).code).toBe(403);
      const own = [...conditions.filter(({ type }) => type !== 'Finished'), says('Finished')];
      await report(agent, `${ns}/a`, { conditions: own });
    });

    test('does not change a Session, its own neither', async () => {
      const its = await world().admin.get(SESSIONS, { namespace: ns, name: 'a' });
      expect((await refusal(edit(agent, its ?? session(ns, 'a'), { suspend: true }))).code).toBe(403);
      expect((await refusal(agent.create(SESSIONS, session(ns, 'mine')))).code).toBe(403);
    });

    test("asks in no sibling's name, and takes the name of none of its Questions", async () => {
      expect((await refusal(agent.create(QUESTIONS, question(ns, 'a-b')))).message).toContain('its own Session only');
      const taken = question(ns, 'a');
      taken.metadata.name = 'a-b-0123456789';
      expect((await refusal(agent.create(QUESTIONS, taken))).message).toContain('named after its Session');
    });

    test('answers nothing, at creation or later', async () => {
      const asked = await agent.create(QUESTIONS, question(ns, 'a'));
      expect((await refusal(answer(agent, asked))).code).toBe(403);
      const answered = question(ns, 'a', { spec: { answer: { option: 'allow' } } });
      expect((await refusal(agent.create(QUESTIONS, answered))).message).toContain('without an answer');
    });

    test('answers nothing though RBAC would let it', async () => {
      await world().bindEditor(ns, `system:serviceaccount:${ns}:tiny-agent`);
      const asked = await agent.create(QUESTIONS, question(ns, 'a', { spec: spawning('x') }));
      expect((await refusal(answer(agent, asked))).message).toContain('an agent asks, and a person answers');
      expect((await refusal(edit(agent, session(ns, 'a'), { suspend: true }))).message).toContain('only the status');
      const gone = await refusal(agent.request('DELETE', `/apis/tiny.dev/v1alpha1/namespaces/${ns}/sessions/a`));
      expect(gone.message).toContain('only the status');
    });

    test('can do nothing with a token that is bound to no pod, or to another pod', async () => {
      const loose = world().engine.clientOf(await tokenFor(world().admin, `${ns}/tiny-agent`));
      expect((await refusal(loose.create(QUESTIONS, question(ns, 'a')))).message).toContain('not bound to the pod');
      expect((await refusal(report(loose, `${ns}/a`, { message: 'lies' }))).message).toContain('not bound to the pod');
      const elsewhere = await world().podOf(ns, 'stranger');
      const other = world().engine.clientOf(await tokenFor(world().admin, `${ns}/tiny-agent`, elsewhere));
      expect((await refusal(other.create(QUESTIONS, question(ns, 'a')))).message).toContain('its own Session only');
    });

    test('can do nothing in another project, though RBAC would let it', async () => {
      const other = await world().project('agents-other');
      await world().bindEditor(other, `system:serviceaccount:${ns}:tiny-agent`);
      await world().as('alice').create(SESSIONS, session(other, 'a'));
      expect((await refusal(agent.create(QUESTIONS, question(other, 'a')))).message).toContain('own project only');
    });

    test('comes up with every Secret that a Session can name where the level restricted is enforced, each where it belongs', async () => {
      const of = await world().project('agents-secrets');
      const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
      await world().admin.request('PATCH', `/api/v1/namespaces/${of}`, { metadata: { labels } });
      const push = { credentialsSecret: 'write', pullRequests: { provider: 'github' } };
      const spec = {
        credentials: [{ secret: 'model' }, { secret: 'other' }],
        repository: { url: 'https://github.com/a/b', submodules: true, credentialsSecret: 'read', push },
      };
      const made = await world()
        .as('alice')
        .create(SESSIONS, session(of, 'a', spec));
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: podSpecOf(made) };
      const kept = await world().admin.request<{ spec: V1PodSpec }>(
        'POST',
        `/api/v1/namespaces/${of}/pods?dryRun=All`,
        pod,
      );
      const mounting = (volume: string) =>
        [...(kept.spec.initContainers ?? []), ...kept.spec.containers]
          .filter(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => name === volume))
          .map(({ name }) => name);
      expect(['git', 'push', 'secrets', 'credentials'].map(mounting)).toEqual([
        ['clone'],
        ['tools'],
        ['tools', 'agent'],
        ['tools'],
      ]);
    });

    test('is nobody once its pod is gone', async () => {
      const { items } = await world().admin.list(PODS, { namespace: ns, labelSelector: 'tiny.dev/session=a-b' });
      for (const { metadata } of items) {
        const path = `/api/v1/namespaces/${ns}/pods/${metadata.name}`;
        await world().admin.request('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 });
      }
      const refused = async () => (await refusal(sibling.create(QUESTIONS, question(ns, 'a-b')))).code;
      await expect.poll(refused, { timeout: 20_000 }).toBe(401);
    });
  });
}
