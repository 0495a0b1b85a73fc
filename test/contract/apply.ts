/**
 * What an agent proposes and a person says yes to: applied with the person's rights and no others, where it changes
 * what they were shown, once, however often the event comes.
 */
import { describe, expect, test } from 'vitest';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { makeApplyKinds } from '../../lib/install/apply-kinds.ts';
import { type Client, CONFIG_MAPS, QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { isMore } from '../../lib/question/apply-allowed.ts';
import { lookAtAll } from '../../lib/question/apply-look.ts';
import { manifestOf } from '../../lib/question/apply-manifest.ts';
import { answer, kind, refusal, session, told } from './objects.ts';
import { mayDo, type Name, type World } from './world.ts';

const CLUSTER_ROLES = { ...kind('rbac.authorization.k8s.io', 'ClusterRole', 'clusterroles'), namespaced: false };
const QUESTION_ACCOUNT = 'system:serviceaccount:tiny-system:question';

type Data = KubeObject & { data?: Record<string, string> };

export const configMap = (name: string, data: Record<string, string>, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
  data,
});

/** A Question that proposes `objects`, marked as the tools mark it. */
export function proposing(ns: string, objects: object[], more: { force?: boolean } = {}) {
  const manifests = objects.map((object) => manifestOf(object, ns));
  const labels: Record<string, string> = manifests.some((one) => isMore(one, ns)) ? { 'tiny.dev/more-apply': '' } : {};
  return { labels, spec: { kind: 'Apply', text: 'May I?', apply: { objects: manifests, ...more } } };
}

export function applyCases(world: () => World): void {
  const as = (name: Name) => world().as(name);
  const read = (namespace: string, name: string) =>
    world().admin.get(CONFIG_MAPS, { namespace, name }) as Promise<Stored<Data> | undefined>;
  const run = (ns: string, { metadata }: KubeObject) => world().runQuestion(ns, metadata.name);
  const acted = (question: KubeObject) => told(world().admin, question, 'Acted');

  /** A project of alice's with a Session; what an agent of it asks. */
  async function project(ns: string, settings?: Record<string, string>) {
    await world().project(ns, settings);
    await mayDo(world().admin, QUESTION_ACCOUNT, {
      namespace: ns,
      verb: 'impersonate-on:user-info:patch',
      resource: 'configmaps',
    });
    await as('alice').create(SESSIONS, session(ns, 'a'));
    return (objects: object[], more: { force?: boolean } = {}) => world().ask(ns, 'a', proposing(ns, objects, more));
  }

  /** What `client` is shown, as an answer carries it. */
  async function shownTo(client: Client, { spec }: Question): Promise<string[]> {
    const looked = await lookAtAll({ own: client, person: client }, spec.apply ?? { objects: [] });
    return looked.map(({ digest }) => digest);
  }

  describe('what an agent proposes', () => {
    test('is applied by nobody, before an administrator of the cluster has said which kinds; the refusal says so', async () => {
      const ns = await world().project('apply-none');
      await as('olga').create(SESSIONS, session(ns, 'a'));
      const asked = await world().ask(ns, 'a', proposing(ns, [configMap('app', { a: '1' })]));
      await answer(as('olga'), asked);
      await run(ns, asked);
      const { status, reason, message } = await acted(asked);
      expect([status, reason]).toEqual(['False', 'Forbidden']);
      expect(message).toContain('tiny install --apply-kinds');
      expect(await read(ns, 'app')).toBeUndefined();
      await world().admin.apply(CLUSTER_ROLES, makeApplyKinds([{ group: '', plural: 'configmaps' }]));
    });

    test('is applied as the answerer, exactly, and once however often the event comes', async () => {
      const ask = await project('apply-once');
      const asked = await ask([configMap('app', { a: '1' }, { labels: { by: 'agent' } }), configMap('other', {})]);
      await answer(as('olga'), asked, { shown: await shownTo(as('olga'), asked) });
      const outcomes = await Promise.all([1, 2, 3].map(() => run('apply-once', asked)));
      expect(outcomes.some(({ kind }) => kind === 'done')).toBe(true);
      await run('apply-once', asked);
      expect(await acted(asked)).toMatchObject({
        status: 'True',
        reason: 'Applied',
        message: 'olga applied ConfigMap apply-once/app, ConfigMap apply-once/other',
      });
      const made = await read('apply-once', 'app');
      expect(made).toMatchObject({ data: { a: '1' }, metadata: { labels: { by: 'agent' } } });
      expect(made?.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
        ['tiny-question', 'Apply'],
      ]);
    });

    test('is applied as a CI job, by its service account', async () => {
      const ns = 'apply-ci';
      const ask = await project(ns);
      const account = `system:serviceaccount:${ns}:ci`;
      await world().bindEditor(ns, account);
      const asked = await ask([configMap('app', { a: '1' })]);
      await answer(world().admin.as({ username: account }), asked);
      await run(ns, asked);
      expect(await acted(asked)).toMatchObject({ status: 'True', reason: 'Applied' });
    });

    test('is not applied where the answerer may not, be it that the function may', async () => {
      const ask = await project('apply-not-mine');
      const asked = await ask([configMap('app', { a: '1' })]);
      await answer(as('dave'), asked);
      await run('apply-not-mine', asked);
      const { reason, message } = await acted(asked);
      expect(reason).toBe('Forbidden');
      expect(message).toContain('User "dave" cannot');
      expect(message).not.toContain('--apply-kinds');
      expect(await read('apply-not-mine', 'app')).toBeUndefined();
    });

    test('is shown to nobody who may not read it', async () => {
      const ask = await project('apply-hidden');
      await world().admin.create(CONFIG_MAPS, configMap('app', { hidden: 'yes' }, { namespace: 'apply-hidden' }));
      const asked = await ask([configMap('app', { a: '1' })]);
      const refused = await refusal(shownTo(as('dave'), asked));
      expect(refused.code).toBe(403);
      expect(refused.message).not.toContain('yes');
    });

    test('is not applied where it would change something else than was shown, and can be asked anew', async () => {
      const ns = 'apply-changed';
      const ask = await project(ns);
      await world().admin.create(CONFIG_MAPS, configMap('app', { level: 'info', other: '1' }, { namespace: ns }));
      const proposed = [configMap('app', { level: 'debug' })];
      const asked = await ask(proposed, { force: true });
      const shown = await shownTo(as('olga'), asked);
      const change = (data: object) =>
        world().admin.patch(CONFIG_MAPS, { namespace: ns, name: 'app' }, { type: 'merge', body: { data } });
      await change({ level: 'error' });
      await answer(as('olga'), asked, { shown });
      await run(ns, asked);
      expect(await acted(asked)).toMatchObject({ status: 'False', reason: 'Changed' });
      expect((await read(ns, 'app'))?.data).toEqual({ level: 'error', other: '1' });

      const anew = await ask(proposed, { force: true });
      const shownAnew = await shownTo(as('olga'), anew);
      // What the proposal does not touch may change.
      await change({ other: '2' });
      await answer(as('olga'), anew, { shown: shownAnew });
      await run(ns, anew);
      expect(await acted(anew)).toMatchObject({ status: 'True', reason: 'Applied' });
      expect((await read(ns, 'app'))?.data).toEqual({ level: 'debug', other: '2' });
    });

    test('is not applied to another object of that name', async () => {
      const ns = 'apply-another';
      const ask = await project(ns);
      const one = configMap('app', { level: 'info' }, { namespace: ns });
      await world().admin.create(CONFIG_MAPS, one);
      const asked = await ask([configMap('app', { more: '1' })]);
      const shown = await shownTo(as('olga'), asked);
      await world().admin.delete(CONFIG_MAPS, { namespace: ns, name: 'app' });
      await world().admin.create(CONFIG_MAPS, one);
      await answer(as('olga'), asked, { shown });
      await run(ns, asked);
      expect((await acted(asked)).reason).toBe('Changed');
    });

    test("takes over no other's fields, unless that was asked", async () => {
      const ns = 'apply-conflict';
      const ask = await project(ns);
      await as('olga').apply(CONFIG_MAPS, configMap('app', { level: 'info' }, { namespace: ns }));
      const proposed = [configMap('app', { level: 'debug' })];
      const asked = await ask(proposed);
      await answer(as('olga'), asked);
      await run(ns, asked);
      const { reason, message } = await acted(asked);
      expect(reason).toBe('Conflict');
      expect(message).toContain('.data.level');
      expect((await read(ns, 'app'))?.data).toEqual({ level: 'info' });
      const forced = await ask(proposed, { force: true });
      await answer(as('olga'), forced);
      await run(ns, forced);
      expect((await read(ns, 'app'))?.data).toEqual({ level: 'debug' });
    });

    test('is tried whole before anything is applied; what was applied when a run was killed is not asked for again', async () => {
      const ns = 'apply-partly';
      const ask = await project(ns);
      await as('olga').apply(CONFIG_MAPS, configMap('b', { x: '1' }, { namespace: ns }));
      const [first, second] = [configMap('a', { x: '2' }), configMap('b', { x: '2' })];
      const asked = await ask([first, second]);
      await answer(as('olga'), asked);
      await run(ns, asked);
      expect((await acted(asked)).reason).toBe('Conflict');
      expect(await read(ns, 'a')).toBeUndefined();

      const again = await ask([first, second], { force: true });
      await answer(as('olga'), again, { shown: await shownTo(as('olga'), again) });
      const killed = world()
        .functionClient('question')
        .as({ username: 'olga', groups: ['owners'] });
      await killed.apply(CONFIG_MAPS, configMap('a', { x: '2' }, { namespace: ns }), { force: false });
      await run(ns, again);
      expect(await acted(again)).toMatchObject({ status: 'True', reason: 'Applied' });
      expect((await read(ns, 'b'))?.data).toEqual({ x: '2' });
    });

    test('is held to the settings as they are when it is applied', async () => {
      const ns = 'apply-narrowed';
      const ask = await project(ns);
      const asked = await ask([configMap('app', { a: '1' })]);
      await as('olga').apply(CONFIG_MAPS, {
        ...configMap('tiny-settings', { 'apply.kinds': 'Service' }, { namespace: ns }),
      });
      await answer(as('olga'), asked);
      await run(ns, asked);
      expect((await acted(asked)).reason).toBe('NotAllowed');
      expect(await read(ns, 'app')).toBeUndefined();
    });
  });
}

/** Who asks for what: policies, which the stand-in has not. */
export function proposingCases(world: () => World): void {
  const as = (name: Name) => world().as(name);
  const ask = (ns: string, objects: object[]) => world().ask(ns, 'a', proposing(ns, objects));
  const made = async (ns: string, settings?: Record<string, string>) => {
    await world().project(ns, settings);
    await as('alice').create(SESSIONS, session(ns, 'a'));
    return ns;
  };
  const object = (apiVersion: string, of: string, metadata: object = {}, more: object = {}) => ({
    apiVersion,
    kind: of,
    metadata: { name: 'x', ...metadata },
    ...more,
  });

  /** Where two policies refuse, the API server names one of them. */
  const ESCALATIONS: [what: string, object, words: string | RegExp][] = [
    [
      'a RoleBinding',
      object('rbac.authorization.k8s.io/v1', 'RoleBinding', {}, { roleRef: { kind: 'ClusterRole', name: 'admin' } }),
      'RoleBinding.rbac.authorization.k8s.io: not applied for agents',
    ],
    ['a Deployment', object('apps/v1', 'Deployment'), 'Deployment.apps: not applied for agents'],
    ['another namespace', object('v1', 'ConfigMap', { namespace: 'kube-system' }), 'in namespace kube-system nothing'],
    ['a cluster-wide object', object('rbac.authorization.k8s.io/v1', 'ClusterRole'), 'ClusterRole.rbac'],
    ['a Secret', object('v1', 'Secret'), /Secret proposing\/x: kinds of tiny.dev, Secrets|Secret: not applied/],
    [
      "a Session with another's requester",
      object('tiny.dev/v1alpha1', 'Session', {}, { spec: { prompt: 'p', requester: { username: 'olga' } } }),
      /Session proposing\/x: kinds of tiny.dev|Session.tiny.dev: not applied/,
    ],
    ['the settings', object('v1', 'ConfigMap', { name: 'tiny-settings' }), 'ConfigMap proposing/tiny-settings'],
    ['a kind of the same name in another group', object('example.com/v1', 'ConfigMap'), 'ConfigMap.example.com'],
  ];

  describe('an agent may not propose', () => {
    test('what its project may', async () => {
      await made('proposing', {});
      await ask('proposing', [object('v1', 'ConfigMap'), object('v1', 'Service')]);
    });

    test.each(ESCALATIONS)('%s', async (_what, proposed, words) => {
      const { code, message } = await refusal(ask('proposing', [object('v1', 'ConfigMap'), proposed]));
      expect(code).toBe(403);
      expect(message).toMatch(words);
    });

    test.each(ESCALATIONS.slice(0, 4))('%s, in a project without settings, marked or not', async (what, proposed) => {
      const ns = 'proposing-bare';
      if (what === 'a RoleBinding') await made(ns);
      expect((await refusal(ask(ns, [proposed]))).message).toContain('must-be-set-in-configmap-tiny-settings');
      const unmarked = { ...proposing(ns, [proposed]), labels: {} };
      expect((await refusal(world().ask(ns, 'a', unmarked))).message).toContain('the label tiny.dev/more-apply');
    });

    test('more than the settings name; what they name, it may', async () => {
      const ns = await made('proposing-set', {
        'apply.kinds': 'Deployment.apps\n',
        'apply.namespaces': ' kube-public \n',
      });
      await ask(ns, [object('apps/v1', 'Deployment', { namespace: 'kube-public' })]);
      expect((await refusal(ask(ns, [object('apps/v1', 'Deployment')]))).message).toContain(
        'in namespace proposing-set',
      );
      expect((await refusal(ask(ns, [object('v1', 'ConfigMap', { namespace: 'kube-public' })]))).message).toContain(
        'these kinds are: Deployment.apps',
      );
      expect((await refusal(ask(ns, [object('v1', 'Secret', { namespace: 'kube-public' })]))).code).toBe(403);
    });

    test('anything as a person: whoever answers reads that the Session asks', async () => {
      const by = as('alice').create(QUESTIONS, {
        apiVersion: 'tiny.dev/v1alpha1',
        kind: 'Question',
        metadata: { name: 'a-0123456789', namespace: 'proposing' },
        spec: { session: 'a', options: [], ...proposing('proposing', [object('v1', 'ConfigMap')]).spec },
      } as never);
      expect((await refusal(by)).code).toBeOneOf([403, 422]);
    });
  });
}
