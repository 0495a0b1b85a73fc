import type { V1Container } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import type { Stored } from '../../../lib/api/meta.ts';
import type { Session } from '../../../lib/api/session.ts';
import { makeClaim } from '../../../lib/session/make-claim.ts';
import { harnessConfig } from '../../../lib/session/make-containers.ts';
import { foreignTo, makeDeployment } from '../../../lib/session/make-deployment.ts';
import { makeNetworkPolicy, repositoryPort } from '../../../lib/session/make-network-policy.ts';
import { makeSecret } from '../../../lib/session/make-secret.ts';
import { belongsTo, isClaimOf, promptDigest, promptSecretName } from '../../../lib/session/names.ts';
import { makeSession } from '../../support/objects.ts';

const json = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

const metadata = {
  name: 'fix',
  namespace: 'team-a',
  labels: {
    'app.kubernetes.io/name': 'tiny-session',
    'app.kubernetes.io/managed-by': 'tiny',
    'tiny.dev/session': 'fix',
    'tiny.dev/session-uid': 'uid-of-fix',
  },
  ownerReferences: [
    {
      apiVersion: 'tiny.dev/v1alpha1',
      kind: 'Session',
      name: 'fix',
      uid: 'uid-of-fix',
      controller: true,
      blockOwnerDeletion: false,
    },
  ],
};
const secretName = 'fix-prompt-51c8e7d51a';

/** All that a Session may say. */
const full = (name = 'fix') =>
  makeSession({
    metadata: { name, ...(name === 'fix' ? {} : { uid: '8a6e1f3c-2b7d-4e59-9c1a-5d4f3b2a1c0e' }) },
    spec: {
      prompt: 'fix "the" $(tests)\u0000\u2028😀',
      agent: {
        name: 'other',
        image: 'registry.example.org/agent:1',
        command: ['agent', '--acp'],
        args: ['$(HOME)', '$$', 'a$$b'],
        model: 'm',
        env: [
          { name: 'HOME', value: '/elsewhere' },
          { name: 'TINY_CONFIG', value: '{}' },
          { name: 'COLOUR', value: 'red' },
          { name: 'PRICE', value: '$$5 $(HOME)' },
          { name: 'constructor', value: 'x' },
        ],
      },
      repository: {
        url: 'ssh://git@example.org:2222/a/b',
        ref: 'main',
        credentialsSecret: 'git',
        push: { credentialsSecret: 'push' },
      },
      credentials: [{ secret: 'anthropic' }],
      storage: {
        size: '1Gi',
        className: 'fast',
        accessMode: 'ReadWriteOncePod',
        retain: true,
        dataSource: { kind: 'PersistentVolumeClaim', name: 'old' },
      },
      resources: { requests: { cpu: '1' }, limits: { memory: '2Gi' } },
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'a', operator: 'Exists' }],
      runtimeClassName: 'gvisor',
      network: { egress: [{ cidr: '10.0.0.0/8', ports: [5432] }, { cidr: 'fd00::/8' }] },
      approvals: { allow: ['read'] },
      idle: { suspendAfter: '1h', finishAfter: '5m', stalledAfter: '1h' },
      deadline: '2h',
    },
  });

describe('the claim', () => {
  test('is what the spec asks for, owned by the Session', () => {
    expect(json(makeClaim(makeSession()))).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata,
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
    });
  });

  test('that is retained has no owner, and is still known as its own', () => {
    const session = full();
    const claim = makeClaim(session);
    expect(json(claim)).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        ...metadata,
        ownerReferences: undefined,
        annotations: { 'tiny.dev/retained': expect.stringMatching(/^\{"requester":"alice","agent":\{"name":/) },
      },
      spec: {
        accessModes: ['ReadWriteOncePod'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: 'fast',
        dataSource: { kind: 'PersistentVolumeClaim', name: 'old' },
      },
    });
    expect(isClaimOf(session)(claim)).toBe(true);
    expect(belongsTo(session)(claim)).toBe(false);
  });
});

test('the Secret holds the prompt to the byte and can never change', () => {
  const session = full();
  const secret = makeSecret(session);
  expect(Buffer.from(secret.data.prompt, 'base64').toString()).toBe(session.spec.prompt);
  expect(secret).toMatchObject({ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', immutable: true });
  expect(makeSecret(makeSession()).metadata).toEqual({ ...metadata, name: secretName });
});

describe('the network policy', () => {
  const ports = (session: Stored<Session>) =>
    makeNetworkPolicy(session).spec.egress?.[1]?.ports?.map(({ port }) => port);

  test('lets nothing in, and out what is needed but no metadata service', () => {
    expect(json(makeNetworkPolicy(makeSession()))).toEqual({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata,
      spec: {
        podSelector: { matchLabels: { 'tiny.dev/session-uid': 'uid-of-fix' } },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [],
        egress: [
          {
            to: [{ namespaceSelector: {} }, { ipBlock: { cidr: '169.254.20.10/32' } }],
            ports: [
              { protocol: 'UDP', port: 53 },
              { protocol: 'TCP', port: 53 },
              { protocol: 'UDP', port: 5353 },
              { protocol: 'TCP', port: 5353 },
            ],
          },
          {
            to: [
              {
                ipBlock: {
                  cidr: '0.0.0.0/0',
                  except: ['169.254.0.0/16', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
                },
              },
              { ipBlock: { cidr: '::/0', except: ['fe80::/10', 'fd00:ec2::/32', 'fd20:ce::/32'] } },
            ],
            ports: [
              { protocol: 'TCP', port: 443 },
              { protocol: 'TCP', port: 6443 },
            ],
          },
        ],
      },
    });
  });

  test('lets out to the repository and to what was asked for', () => {
    expect(ports(full())).toEqual([443, 6443, 2222]);
    expect(makeNetworkPolicy(full()).spec.egress?.slice(2)).toEqual([
      { to: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ protocol: 'TCP', port: 5432 }] },
      { to: [{ ipBlock: { cidr: 'fd00::/8' } }] },
    ]);
  });

  test('opens the port of the API where pull requests are opened', () => {
    const pullRequests = { provider: 'github', api: 'https://git.example:8443/api' } as const;
    const push = { credentialsSecret: 'push', unasked: false, pullRequests };
    const session = makeSession({ spec: { repository: { url: 'https://git.example/a', depth: 1, push } } });
    expect(JSON.stringify(makeNetworkPolicy(session).spec.egress?.[1]?.ports)).toContain('8443');
  });

  test.each([
    ['http://vllm.models.svc:8000/v1', [443, 6443, 8000], []],
    ['http://gateway', [443, 6443, 80], []],
    ['https://gateway/v1', [443, 6443], []],
    ['http://10.1.2.3:11434', [443, 6443], [{ cidr: '10.1.2.3/32', port: 11434 }]],
    ['http://[fd12::1]:8000/v1', [443, 6443], [{ cidr: 'fd12::1/128', port: 8000 }]],
    ['https://10.1.2.3', [443, 6443], []],
    ['http://169.254.169.254', [443, 6443], []],
    ['http://2852039166/latest', [443, 6443], []],
    ['http://0xa9.0xfe.0251.254:80', [443, 6443], []],
    ['http://[::ffff:169.254.169.254]:80', [443, 6443], []],
    ['http://[fd00:ec2::254]:80', [443, 6443], []],
    ['http://host:99999', [443, 6443], []],
  ])('opens the port of the model at %s, and only there where that is an address', (baseUrl, open, only) => {
    const session = makeSession({ spec: { agent: { name: 'codex', baseUrl } } });
    expect(ports(session)).toEqual(open);
    const rules = makeNetworkPolicy(session).spec.egress?.slice(2);
    expect(rules).toEqual(
      only.map(({ cidr, port }) => ({ to: [{ ipBlock: { cidr } }], ports: [{ protocol: 'TCP', port }] })),
    );
  });

  test.each([
    ['https://h/a', 443],
    ['http://h/a', 80],
    ['https://h:8443/a', 8443],
    ['ssh://h/a', 22],
    ['ssh://git@h:2222/a', 2222],
    ['git@h:a/b', 22],
    ['git@h:8443/a', 22],
    ['https://h/a:9/b', 443],
  ])('%s is reached at port %i', (url, port) => expect(repositoryPort(url)).toBe(port));
});

const podOf = (session: Stored<Session>) => {
  const spec = makeDeployment(session, 1).spec.template.spec;
  if (!spec) throw new Error('no pod');
  const [tools] = spec.initContainers ?? [];
  const [agent] = spec.containers;
  if (!tools || !agent) throw new Error('no containers');
  return { spec, tools, agent, clone: spec.initContainers?.[1] };
};

const variables = (container: { env?: { name: string; value?: string }[] }) =>
  Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]));

/** What a kubelet makes of a value: `$$` is a dollar, `$(NAME)` a variable. */
const expanded = (value: string) => value.replace(/\$\$|\$\([^()]*\)/g, (found) => (found === '$$' ? '$' : 'EXPANDED'));

describe('the workload', () => {
  test('is one pod at most, that never shares its volume with the one before', () => {
    const { spec, ...rest } = makeDeployment(makeSession(), 0);
    expect(rest).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', metadata });
    expect(spec).toMatchObject({ replicas: 0, revisionHistoryLimit: 0, strategy: { type: 'Recreate' } });
    expect(spec.selector).toEqual({ matchLabels: { 'tiny.dev/session-uid': 'uid-of-fix' } });
    expect(spec.template.metadata?.labels).toEqual(metadata.labels);
    expect(makeDeployment(makeSession(), 1).spec.replicas).toBe(1);
  });

  test('is the Deployment that was agreed on, whole', () => {
    const { tools, agent, spec } = podOf(makeSession());
    const identity = {
      TINY_NAMESPACE: 'team-a',
      TINY_SESSION: 'fix',
      TINY_SESSION_UID: 'uid-of-fix',
      TINY_RUN: '/run/tiny',
      TINY_STATE: '/state',
    };
    expect(tools).toMatchObject({
      name: 'tools',
      image: 'tiny.dev/agent-tools:0.1.0',
      restartPolicy: 'Always',
      command: ['node', '/opt/tiny/tools.cjs'],
    });
    expect(variables(tools)).toEqual({ ...identity, TINY_CREDENTIALS: '/var/run/secrets/tiny' });
    expect(agent).toMatchObject({
      name: 'agent',
      image: 'tiny.dev/agent-claude-code:0.1.0',
      command: ['node', '/opt/tiny/harness.cjs'],
    });
    const { TINY_CONFIG, ...others } = variables(agent);
    expect(others).toEqual({
      ...identity,
      TINY_WORKSPACE: '/workspace',
      TINY_HOME: '/opt/tiny',
      TINY_PROMPT: '/etc/tiny/prompt/prompt',
      TINY_PROMPT_SHA256: promptDigest(makeSession()),
      HOME: '/home/agent',
    });
    expect(JSON.parse(TINY_CONFIG ?? '')).toEqual({
      agent: { name: 'claude-code' },
      approvals: { allow: ['read', 'search', 'think'] },
      idle: { finishAfter: '0s', stalledAfter: '1h' },
    });
    expect(spec.volumes?.map(({ name }) => name)).toEqual(['work', 'prompt', 'run', 'tmp', 'credentials']);
    expect(spec).toMatchObject({
      serviceAccountName: 'tiny-agent',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 30,
    });
  });

  test('is placed as the spec says', () => {
    const { spec, agent } = podOf(full());
    expect(spec).toMatchObject({
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'a', operator: 'Exists' }],
      runtimeClassName: 'gvisor',
    });
    expect(agent).toMatchObject({
      image: 'registry.example.org/agent:1',
      envFrom: [{ secretRef: { name: 'anthropic' } }],
      resources: { requests: { cpu: '1' }, limits: { memory: '2Gi' } },
    });
  });

  test('satisfies the Pod Security level restricted, with a read-only root', () => {
    const { spec, tools, agent, clone } = podOf(full());
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 10001,
      runAsGroup: 10001,
      fsGroup: 10001,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const container of [tools, agent, clone]) {
      expect(container?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        capabilities: { drop: ['ALL'] },
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(container?.ports).toBeUndefined();
    }
    for (const key of ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace'])
      expect(spec).not.toHaveProperty(key);
    const kinds = spec.volumes?.flatMap(({ name: _name, ...volume }) => Object.keys(volume));
    expect(new Set(kinds)).toEqual(new Set(['persistentVolumeClaim', 'secret', 'emptyDir', 'projected']));
  });

  test("gives no token to the agent's container", () => {
    const { agent, tools, spec } = podOf(full());
    const mounted = agent.volumeMounts?.map(({ name }) => name);
    expect(mounted).not.toContain('credentials');
    expect(tools.volumeMounts?.map(({ name }) => name)).toContain('credentials');
    expect(JSON.stringify(agent)).not.toContain('/var/run/secrets');
    const withToken = spec.volumes?.filter((volume) => JSON.stringify(volume).includes('serviceAccountToken'));
    expect(withToken?.map(({ name }) => name)).toEqual(['credentials']);
  });

  test("mounts only volumes that there are, and what reads and writes the repository never in the agent's container", () => {
    for (const session of [makeSession(), full()]) {
      const { agent, tools, clone, spec } = podOf(session);
      const there = new Set(spec.volumes?.map(({ name }) => name));
      const namesIn = (container?: V1Container) => (container?.volumeMounts ?? []).map(({ name }) => name);
      const mounts = [agent, tools, clone].flatMap(namesIn);
      expect(mounts.filter((name) => !there.has(name))).toEqual([]);
      expect([...there].filter((name) => !mounts.includes(name))).toEqual([]);
    }
    const { agent, tools, clone } = podOf(full());
    const secrets = (container?: V1Container) =>
      container?.volumeMounts?.filter(({ name }) => !['run', 'work', 'tmp', 'prompt'].includes(name));
    const own = { name: 'secrets', mountPath: '/etc/tiny/secrets', readOnly: true };
    expect(secrets(agent)).toEqual([own]);
    expect(secrets(clone)).toEqual([{ name: 'git', mountPath: '/etc/tiny/git', readOnly: true }]);
    expect(secrets(tools)).toEqual([
      { name: 'credentials', mountPath: '/var/run/secrets/tiny', readOnly: true },
      own,
      { name: 'push', mountPath: '/etc/tiny/push', readOnly: true },
    ]);
    expect(JSON.stringify(agent)).not.toMatch(/etc.tiny.(git|push)/);
    expect(clone?.envFrom).toBeUndefined();
    expect(clone?.volumeMounts?.map(({ subPath }) => subPath)).toEqual([undefined, 'repo', 'clone']);
  });

  test('clones before the agent starts, with the tools up, in an image that no Session chooses', () => {
    const { spec, clone, tools } = podOf(full());
    expect(spec.initContainers?.map(({ name }) => name)).toEqual(['tools', 'clone']);
    expect(clone).toMatchObject({
      image: 'tiny.dev/agent-git:0.1.0',
      command: ['node', '/opt/tiny/clone.cjs'],
      resources: { requests: { cpu: '1' }, limits: { memory: '2Gi' } },
    });
    expect(clone).not.toHaveProperty('restartPolicy');
    expect(variables(clone ?? {})).toEqual({
      TINY_NAMESPACE: 'team-a',
      TINY_SESSION: 'fix',
      TINY_SESSION_UID: 'uid-of-fix',
      TINY_WORKSPACE: '/workspace',
      TINY_REPOSITORY: JSON.stringify({ url: 'ssh://git@example.org:2222/a/b', ref: 'main', depth: 1 }),
      TINY_GIT_CREDENTIALS: '/etc/tiny/git',
      HOME: '/tmp',
    });
    expect(tools.image).toBe('tiny.dev/agent-git:0.1.0');
    expect(variables(tools)).toMatchObject({
      TINY_SECRETS: '/etc/tiny/secrets',
      TINY_PUSH_CREDENTIALS: '/etc/tiny/push',
      TINY_REPOSITORY: JSON.stringify({ url: 'ssh://git@example.org:2222/a/b', ref: 'main', push: { unasked: false } }),
    });
  });

  test('holds the prompt in no argument and no variable', () => {
    const marked = makeSession({ spec: { prompt: 'a-prompt-that-is-marked' } });
    const text = JSON.stringify(makeDeployment(marked, 1));
    expect(text).not.toContain(marked.spec.prompt);
    expect(text).not.toContain(Buffer.from(marked.spec.prompt).toString('base64'));
  });

  test('holds no message and no name of a person', () => {
    const session = makeSession({ spec: { messages: [{ id: 'm', text: 'marked' }] } });
    expect(JSON.stringify(makeDeployment(session, 1))).not.toMatch(/marked|alice/);
  });

  test('names a variable once, its own over those that were asked for', () => {
    const names = podOf(full()).agent.env?.map(({ name }) => name) ?? [];
    expect(new Set(names).size).toBe(names.length);
    expect(variables(podOf(full()).agent)).toMatchObject({ COLOUR: 'red', HOME: '/home/agent' });
  });

  test('tells the harness the arguments as they were written, whatever a kubelet expands', () => {
    const { TINY_CONFIG = '' } = variables(podOf(full()).agent);
    expect(expanded(TINY_CONFIG)).toBe(harnessConfig(full()));
    expect(JSON.parse(harnessConfig(full()))).toEqual({
      agent: { name: 'other', command: ['agent', '--acp'], args: ['$(HOME)', '$$', 'a$$b'], model: 'm' },
      repository: { url: 'ssh://git@example.org:2222/a/b', ref: 'main', depth: 1 },
      approvals: { allow: ['read'] },
      idle: { suspendAfter: '1h', finishAfter: '5m', stalledAfter: '1h' },
      deadlineAt: '2026-11-30T13:58:00.000Z',
    });
  });

  test('gives a variable as it was written', () => {
    const { PRICE = '' } = variables(podOf(full()).agent);
    expect(expanded(PRICE)).toBe('$$5 $(HOME)');
    expect(podOf(full()).agent.env?.map(({ name }) => name)).toContain('constructor');
  });

  test('is the same for the same Session, so that applying it again changes nothing', () => {
    expect(makeDeployment(full(), 1)).toEqual(makeDeployment(full(), 1));
  });
});

describe('names', () => {
  const longest = full('a'.repeat(40));
  const children = [makeClaim(longest), makeSecret(longest), makeNetworkPolicy(longest), makeDeployment(longest, 1)];
  const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

  test('of the longest Session fit, the pod’s with its two hashes too', () => {
    for (const { metadata: meta } of children) {
      expect(meta.name).toMatch(label);
      expect(meta.name.length).toBeLessThanOrEqual(63);
    }
    expect(`${makeDeployment(longest, 1).metadata.name}-1234567890-abcde`.length).toBeLessThanOrEqual(63);
  });

  test('and values of labels fit', () => {
    for (const { metadata: meta } of children) {
      for (const [key, value] of Object.entries(meta.labels ?? {})) {
        expect(value.length).toBeLessThanOrEqual(63);
        expect(value).toMatch(/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/);
        expect(key.split('/').pop()?.length).toBeLessThanOrEqual(63);
      }
    }
  });

  test('of the Secret follow from whose it is and what is in it', () => {
    const name = promptSecretName(makeSession());
    expect(name).toBe(secretName);
    expect(promptSecretName(makeSession({ metadata: { uid: 'another' } }))).not.toBe(name);
    expect(promptSecretName(makeSession({ spec: { prompt: 'another' } }))).not.toBe(name);
  });
});

describe('a child', () => {
  const session = makeSession();
  test.each([
    ['that the Session controls', { ownerReferences: [{ uid: 'uid-of-fix', controller: true }] }, true],
    ['that the Session only shares', { ownerReferences: [{ uid: 'uid-of-fix' }] }, false],
    ['with its label, which anybody may write', { labels: { 'tiny.dev/session-uid': 'uid-of-fix' } }, false],
    ['of a predecessor', { labels: { 'tiny.dev/session-uid': 'old' }, ownerReferences: [{ uid: 'old' }] }, false],
    ['of the name alone', { labels: { 'tiny.dev/session': 'fix' } }, false],
    ['of nobody', {}, false],
  ])('%s: %s', (_what, meta, expected) => {
    expect(belongsTo(session)({ metadata: { name: 'fix', ...meta } as never })).toBe(expected);
  });
});

describe('what somebody has put into the Deployment', () => {
  const wanted = makeDeployment(makeSession(), 1);
  const live = (change: (pod: NonNullable<typeof wanted.spec.template.spec>) => void) => {
    const copy = structuredClone(wanted);
    if (copy.spec.template.spec) change(copy.spec.template.spec);
    return copy;
  };

  test('is named, for an apply would leave it there', () => {
    const spied = live((pod) => pod.containers.push({ name: 'spy', image: 'spy' }));
    expect(foreignTo(wanted)(spied)).toBe('containers spy');
    expect(foreignTo(wanted)(live((pod) => pod.volumes?.push({ name: 'theirs' })))).toBe('volumes theirs');
  });

  test('is nothing where only our own was changed', () => {
    const changed = live((pod) => Object.assign(pod.containers[0] ?? {}, { image: 'other' }));
    expect(foreignTo(wanted)(changed)).toBeUndefined();
    expect(foreignTo(makeDeployment(makeSession(), 0))(wanted)).toBeUndefined();
  });
});
