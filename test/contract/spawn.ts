/** What a child may have: no more than its parent, or what settings, words and marks let it; and never a looser hold. */
import { describe, expect, test } from 'vitest';
import { QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { askerOf } from './asker.ts';
import { question, refusal, session, spawning } from './objects.ts';
import type { Name, World } from './world.ts';

export function spawnCases(world: () => World): void {
  const as = (name: Name) => world().as(name);

  describe('what a child may have that its parent has not', () => {
    const parent = {
      credentials: [{ secret: 'model' }],
      repository: { url: 'https://git.example/a', credentialsSecret: 'git' },
      agent: { name: 'rehearsal', image: 'registry.example/mine' },
    };
    const more = { 'tiny.dev/more-secrets': '', 'tiny.dev/more-image': '' };
    const ask = (ns: string, spec: object, { text = 'May I?', labels = {} } = {}) =>
      world().ask(ns, 'a', { labels, spec: spawning('x', spec, text) });

    test('what its parent has, it may have', async () => {
      const ns = await world().project('spawn');
      await as('alice').create(SESSIONS, session(ns, 'a', parent));
      await ask(ns, parent);
      await ask(ns, {});
    });

    test.each([
      [
        'a Secret',
        { credentials: [{ secret: 'prod-db' }] },
        'the child would mount Secrets that Session a has not: prod-db',
      ],
      [
        'git credentials',
        { repository: { url: 'https://git.example/a', credentialsSecret: 'admin' } },
        'has not: admin',
      ],
      [
        'git credentials for what its repository names as submodules',
        { repository: { url: 'https://git.example/a', credentialsSecret: 'git', submodules: true } },
        'has not: git',
      ],
      [
        "git credentials for another host than its parent's",
        { repository: { url: 'https://evil.example/a', credentialsSecret: 'git' } },
        'has not: git',
      ],
      [
        'an image',
        { agent: { name: 'rehearsal', image: 'evil.example/x' } },
        'the child would run image evil.example/x',
      ],
      [
        "another's volume",
        { storage: { dataSource: { kind: 'PersistentVolumeClaim', name: 'b' } } },
        'leave out storage.dataSource',
      ],
    ])('%s: not without words and a mark', async (_what, spec, words) => {
      const refused = await refusal(ask('spawn', spec));
      expect(refused.code).toBe(403);
      expect(refused.message).toContain(words);
    });

    test('not without the mark by which it is compared', async () => {
      const asked = question('spawn', 'a', { spec: spawning('x', { credentials: [{ secret: 'model' }] }) });
      delete asked.metadata.labels;
      const asker = await askerOf(world().engine, 'spawn', 'a');
      expect((await refusal(asker.create(QUESTIONS, asked))).message).toContain('carries the label tiny.dev/spawn');
    });

    test('not without the settings, be it ever so marked', async () => {
      const secrets = { text: 'May it have prod-db?', labels: { 'tiny.dev/more-secrets': '' } };
      const spec = { credentials: [{ secret: 'prod-db' }] };
      expect((await refusal(ask('spawn', spec, secrets))).message).toContain('must-be-set-in-configmap-tiny-settings');
      const ns = await world().project('spawn-no', { 'spawn.allowImages': 'true' });
      await as('alice').create(SESSIONS, session(ns, 'a', parent));
      expect((await refusal(ask(ns, spec, secrets))).message).toContain('have spawn.allowSecrets set to "true"');
      expect((await refusal(ask(ns, spec, { labels: more }))).code).toBe(403);
    });

    test('with the settings, the words and the mark', async () => {
      const ns = await world().project('spawn-yes', { 'spawn.allowSecrets': 'true', 'spawn.allowImages': 'true' });
      await as('alice').create(SESSIONS, session(ns, 'a', parent));
      const spec = { credentials: [{ secret: 'prod-db' }], agent: { name: 'rehearsal', image: 'new.example/x' } };
      await ask(ns, spec, { text: 'May it have prod-db, and run new.example/x?', labels: more });
      expect((await refusal(ask(ns, spec, { text: 'May it run new.example/x?', labels: more }))).message).toContain(
        'prod-db',
      );
    });
  });

  describe('a child is held as its parent is', () => {
    const parent = {
      agent: {
        ...{ name: 'rehearsal', args: ['--careful'], env: [{ name: 'MODE', value: 'safe' }] },
        ...{ mode: 'default', baseUrl: 'http://gateway.example' },
      },
      deadline: '1h30m',
      approvals: { allow: ['read', 'edit'], commands: ['git status', 'npm run *'] },
      budget: { tokens: 1000, cost: { amount: '2.50', currency: 'USD' } },
      repository: { url: 'https://git.example/a', push: { credentialsSecret: 'push' } },
      network: { egress: [{ cidr: '10.1.0.0/16', ports: [5432] }, { cidr: '10.2.0.0/16' }] },
      nodeSelector: { pool: 'agents' },
      tolerations: [{ key: 'agents', operator: 'Exists' }],
      runtimeClassName: 'gvisor',
    };
    const { agent, budget } = parent;
    const ask = (spec: object) => world().ask('held', 'a', { spec: spawning('x', { ...parent, ...spec }) });
    const pushing = (push: object, url = 'https://git.example/a') => ({ repository: { url, push } });
    const egress = (cidr: string, ...ports: number[]) => ({ network: { egress: [{ cidr, ports }] } });

    test('or more tightly', async () => {
      await world().project('held');
      await as('alice').create(SESSIONS, session('held', 'a', parent));
      for (const spec of [
        {},
        { agent: { name: 'codex' } },
        { approvals: { allow: [], commands: ['git status'] } },
        { budget: { tokens: 1, cost: { amount: '2.5', currency: 'USD' } } },
        { budget: { tokens: 999, cost: { amount: '0.000001', currency: 'USD' } } },
        { network: undefined, tolerations: undefined },
        { repository: { url: 'https://git.example/a' } },
        { repository: { url: 'https://other.example/b', submodules: true } },
        { deadline: '5400s' },
        egress('10.2.0.0/16', 22),
        { nodeSelector: { pool: 'agents', disk: 'ssd' } },
      ])
        await ask(spec);
    });

    const STARTED = 'started otherwise than that of Session a';
    test.each<[string, object, string]>([
      ['another command', { agent: { ...agent, command: ['sh'] } }, STARTED],
      ['other arguments', { agent: { ...agent, args: ['--careless'] } }, STARTED],
      ['an argument less', { agent: { ...agent, args: undefined } }, STARTED],
      ['another variable', { agent: { ...agent, env: [...agent.env, { name: 'LD_PRELOAD', value: 'x' }] } }, STARTED],
      ['a variable less', { agent: { ...agent, env: undefined } }, STARTED],
      ['another agent with arguments', { agent: { name: 'codex', args: ['--yolo'] } }, STARTED],
      ['a mode in which it asks nobody', { agent: { ...agent, mode: 'bypassPermissions' } }, STARTED],
      ["its agent's own mode", { agent: { ...agent, mode: undefined } }, STARTED],
      ['another agent in a mode of its own', { agent: { name: 'codex', mode: 'agent-full-access' } }, STARTED],
      ['a model elsewhere', { agent: { ...agent, baseUrl: 'http://evil.example' } }, STARTED],
      ['another agent and a model elsewhere', { agent: { name: 'codex', baseUrl: 'http://evil.example' } }, STARTED],
      ['more time', { deadline: '91m' }, 'might run longer than Session a'],
      ['no end', { deadline: undefined }, 'leave deadline as it is there (1h30m)'],
      ['more that needs no yes', { approvals: { allow: ['read', 'execute'] } }, 'Session a may not: execute'],
      ['what needs no yes by default', { approvals: undefined }, 'Session a may not: search, think'],
      ['a command that needs no yes', { approvals: { allow: [], commands: ['npm *'] } }, 'Session a may not: npm *'],
      ['a larger budget', { budget: { ...budget, tokens: 1001 } }, 'might use more than Session a'],
      [
        'more money',
        { budget: { ...budget, cost: { amount: '10', currency: 'USD' } } },
        'might use more than Session a',
      ],
      [
        'other money',
        { budget: { ...budget, cost: { amount: '1', currency: 'KWD' } } },
        'might use more than Session a',
      ],
      ['no limit of money', { budget: { tokens: 1000 } }, 'might use more than Session a'],
      ['no budget', { budget: undefined }, 'might use more than Session a'],
      ['a push that its parent has not', pushing({ credentialsSecret: 'admin' }), 'push otherwise than Session a'],
      ['an unasked push', pushing({ credentialsSecret: 'push', unasked: true }), 'push otherwise than Session a'],
      [
        'a push that tells another API its token',
        pushing({ credentialsSecret: 'push', pullRequests: { provider: 'github', api: 'https://evil.example' } }),
        'push otherwise than Session a',
      ],
      [
        'a push to elsewhere',
        pushing({ credentialsSecret: 'push' }, 'https://evil.example/a'),
        'push otherwise than Session a',
      ],
      ['another network', egress('0.0.0.0/0'), 'Session a may not: 0.0.0.0/0'],
      ['another port', egress('10.1.0.0/16', 5432, 22), 'Session a may not: 10.1.0.0/16'],
      ['all ports', egress('10.1.0.0/16'), 'Session a may not: 10.1.0.0/16'],
      ['any node', { nodeSelector: undefined }, 'keep each label of its nodeSelector'],
      ['other nodes', { nodeSelector: { pool: 'control' } }, 'keep each label of its nodeSelector'],
      ['another toleration', { tolerations: [{ operator: 'Exists' }] }, 'add no toleration'],
      ["the cluster's own runtime", { runtimeClassName: undefined }, 'set runtimeClassName to gvisor'],
      ['another runtime', { runtimeClassName: 'runc' }, 'set runtimeClassName to gvisor'],
    ])('and not with %s', async (_what, spec, words) => {
      const { code, message } = await refusal(ask(spec));
      expect(code).toBe(403);
      expect(message).toContain(words);
    });
  });
}
