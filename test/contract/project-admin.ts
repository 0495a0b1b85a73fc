/** Whoever administers a namespace makes a project of it, there and nowhere else, and gains nothing by it. */
import { describe, expect, test } from 'vitest';
import type { Project, System } from '../../cli/doctor/observed.ts';
import { readRights } from '../../cli/doctor/read-projects.ts';
import type { KubeObject } from '../../lib/api/meta.ts';
import { resourceTypeOf } from '../../lib/install/apply.ts';
import { detectFeatures } from '../../lib/install/features.ts';
import { type Client, DEPLOYMENTS, SESSIONS } from '../../lib/kube/types.ts';
import { tiny, untilDone } from './command.ts';
import { refusal, session, told } from './objects.ts';
import { ACCOUNTS, type World } from './world.ts';

const RBAC = 'rbac.authorization.k8s.io';
const binding = (namespace: string, roleRef: { kind: string; name: string }, name = 'b'): KubeObject =>
  ({
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata: { name, namespace },
    roleRef: { apiGroup: RBAC, ...roleRef },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: 'petra' }],
  }) as KubeObject;

export function projectAdminCases(world: () => World): void {
  test('tiny doctor asks for rights of every account, and finds each', async () => {
    const namespace = await world().project('doctor');
    const { admin } = world();
    const system = { functions: true, features: await detectFeatures(admin) } as System;
    const none = { value: [] };
    const project: Project = { namespace, present: none, expected: [], sessions: none, pods: none };
    const checked = await readRights(admin, system, [project]);
    expect(checked.filter(({ allowed }) => !allowed)).toEqual([]);
    const of = new Set(checked.map(({ who }) => who.username.split(':').at(-1)));
    expect([...of].sort()).toEqual([...ACCOUNTS].sort());
  });

  describe('an administrator of one namespace', () => {
    const petra = () => world().as('petra');
    const create = (client: Client, object: KubeObject) => client.create(resourceTypeOf(object), object);
    const bare = async (name: string) => {
      await create(world().admin, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      return name;
    };
    const administered = async (name: string) => {
      await bare(name);
      await create(world().admin, binding(name, { kind: 'ClusterRole', name: 'admin' }, 'petra'));
      return name;
    };
    const init = (...argv: string[]) => tiny(world().engine, petra(), ['init', ...argv]);

    test('prepares it, and Sessions work there', async () => {
      const ns = await administered('petras');
      const { code, out, err } = await untilDone(() => init(ns));
      expect({ code, err }).toMatchObject({
        code: 0,
        err: expect.stringContaining(`You may not label namespace ${ns}`),
      });
      expect(out).toContain('tiny-function-session');
      await petra().create(SESSIONS, session(ns, 'a'));
      await expect
        .poll(async () => {
          await world().runSession(ns, 'a');
          return (await told(world().admin, session(ns, 'a'), 'Materialised')).status;
        })
        .toBe('True');
      expect(await world().admin.get(DEPLOYMENTS, { namespace: ns, name: 'a' })).toBeDefined();
      expect(await init(ns)).toMatchObject({ code: 0, out: expect.stringContaining('0 to create, 0 to change') });
    });

    test('prepares no other, and sets no quota for themselves', async () => {
      const [own, other] = [await administered('petras-own'), await bare('not-petras')];
      await untilDone(() => init(own));
      expect(await init(other)).toMatchObject({ code: 1, err: expect.stringContaining('nothing was written') });
      expect(await init(own, '--max-sessions', '5')).toMatchObject({
        code: 1,
        err: expect.stringContaining('resourcequotas'),
      });
    });

    test('binds nothing else, and to nobody elsewhere', async () => {
      const [own, other] = [await administered('petras-more'), await bare('not-petras-more')];
      await untilDone(() => init(own));
      for (const name of ['cluster-admin', 'tiny-function-session', 'tiny-impersonator', 'tiny-direct'])
        expect((await refusal(create(petra(), binding(own, { kind: 'ClusterRole', name })))).message).toContain(
          'is attempting to grant RBAC permissions not currently held',
        );
      const acts = { kind: 'ClusterRole', name: 'tiny-function-session-acts' };
      expect((await refusal(create(petra(), binding(other, acts)))).code).toBe(403);
      const everywhere = { ...binding('', acts), kind: 'ClusterRoleBinding', metadata: { name: 'petras-own' } };
      expect((await refusal(create(petra(), everywhere))).code).toBe(403);
    });

    test('gains nothing by binding to themselves what functions may do as people', async () => {
      const ns = await administered('petras-acts');
      await untilDone(() => init(ns));
      await create(petra(), binding(ns, { kind: 'ClusterRole', name: 'tiny-function-session-acts' }));
      const victim = { username: 'alice', groups: ['team'] };
      const claimed = petra()
        .as(victim)
        .create(DEPLOYMENTS, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x', namespace: ns } });
      expect((await refusal(claimed)).message).toMatch(/cannot impersonate/);
    });

    test('writes no role that gives more than they have, under no name', async () => {
      const ns = await administered('petras-role');
      await untilDone(() => init(ns));
      const rules = [{ apiGroups: ['tiny.dev'], resources: ['questions/status'], verbs: ['patch'] }];
      for (const name of ['tiny-agent', 'own']) {
        const role = { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name, namespace: ns }, rules };
        expect((await refusal(create(petra(), role))).message).toContain('not currently held');
      }
    });
  });
}
