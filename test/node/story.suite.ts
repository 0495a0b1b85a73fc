/**
 * The story on a real node: session pods and functions are real containers, which a real kubelet runs, in a namespace
 * that admits restricted pods only. The tests go on from each other.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { isTrue } from '../../lib/api/conditions.ts';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { CLAIMS, DEPLOYMENTS, NETWORK_POLICIES, PODS, QUESTIONS, SECRETS, SESSIONS } from '../../lib/kube/types.ts';
import { answer, edit, refusal, session } from '../contract/objects.ts';
import { type Cluster, PROJECT, startCluster } from './cluster/cluster.ts';
import { until } from './cluster/until.ts';
import { testReading } from './reading.ts';
import { testWaking } from './waking.ts';

interface ContainerStatus {
  name: string;
  restartCount: number;
  state: { running?: object; terminated?: { exitCode: number; reason: string } };
}
type Pod = Stored<
  KubeObject & {
    status?: { phase?: string; containerStatuses?: ContainerStatus[]; initContainerStatuses?: ContainerStatus[] };
  }
>;

let cluster: Cluster;
const say = (line: string) => void process.stderr.write(`${line}\n`);

beforeAll(async () => {
  cluster = await startCluster(say);
}, 300_000);

afterAll(async () => {
  say(
    `cold starts of functions as containers: ${cluster?.serving.coldStarts.map((ms) => `${Math.round(ms)} ms`).join(', ')}`,
  );
  await cluster?.stop();
});

const ref = (name: string) => ({ namespace: PROJECT, name });

const found = (name: string, wanted: (one: Stored<Session>) => unknown, limit?: number) =>
  until(
    `Session ${name}`,
    async () => {
      const one = await cluster.admin.get(SESSIONS, ref(name));
      return one && wanted(one) ? one : undefined;
    },
    limit,
  );
const isFinished = (one: Session) => isTrue(one, 'Finished');

const podsOf = async (name: string): Promise<Pod[]> =>
  (await cluster.admin.list(PODS, { namespace: PROJECT, labelSelector: `tiny.dev/session=${name}` })).items as Pod[];

const podOf = (name: string, wanted: (pod: Pod) => unknown = () => true) =>
  until(`a pod of Session ${name}`, async () =>
    (await podsOf(name)).find((pod) => !pod.metadata.deletionTimestamp && wanted(pod)),
  );

const containerOf = ({ status }: Pod, name: string) =>
  [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find((one) => one.name === name);

const openQuestion = (of: string) =>
  until(`a Question of ${of}`, async () => {
    const { items } = await cluster.admin.list(QUESTIONS, { namespace: PROJECT, fieldSelector: `spec.session=${of}` });
    return items.find(({ spec }) => !spec.answer);
  });

const start = (name: string, script: object[], more: object = {}) =>
  cluster.as('alice').create(
    SESSIONS,
    session(PROJECT, name, {
      prompt: stringify(script),
      repository: { url: cluster.repository.url },
      storage: { size: '64Mi' },
      ...more,
    }),
  );

/** Runs a program in a container of the Session's pod. */
const inPod = async (name: string, container: string, ...command: string[]) => {
  const { metadata } = await podOf(name);
  return cluster.kubectl('exec', '-n', PROJECT, metadata.name, '-c', container, '--', ...command);
};

/** Runs JavaScript where there is no shell. */
const script = (name: string, container: string, code: string) => inPod(name, container, 'node', '-p', code);

/** Commits on the Session's branch, in its volume. */
const commits = async (name: string): Promise<string[]> =>
  (await inPod(name, 'agent', 'git', '-C', '/workspace/repo', 'log', '--format=%s')).trim().split('\n');

/** The process of a program in the Session's pod. */
function processOf(name: string, program: string): number {
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'latin1');
    } catch {
      return '';
    }
  };
  const pid = readdirSync('/proc').find(
    (one) =>
      /^\d+$/.test(one) &&
      read(one, 'cmdline').includes(program) &&
      !read(one, 'cmdline').startsWith('tini') &&
      read(one, 'environ').includes(`TINY_SESSION=${name}\0`),
  );
  if (!pid) throw new Error(`no ${program} of Session ${name}`);
  return Number(pid);
}

const harnessOf = (name: string): number => processOf(name, '/opt/tiny/harness.cjs');

const running = async () => {
  const of = async (namespace: string) =>
    (await cluster.admin.list(PODS, { namespace })).items.map((pod) => pod.metadata.name);
  return { project: await of(PROJECT), functions: await of('tiny-system') };
};

describe('before anything happens', () => {
  test('no pod of ours runs', async () => {
    expect(await running()).toEqual({ project: [], functions: [] });
  });

  test('the project refuses a pod that is not restricted', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'lax', namespace: PROJECT },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    };
    expect((await refusal(cluster.admin.create(PODS, pod))).message).toContain(
      'violates PodSecurity "restricted:latest"',
    );
  });
});

describe('a Session', () => {
  test('wakes a function from zero, which makes its objects as alice', async () => {
    await start('first', [
      { say: 'I begin.' },
      { edit: { file: 'docs/first.md', text: 'first\n' } },
      { run: 'sh -c "(sleep 0.1 &) ; git log -1 --oneline"' },
      { commit: 'Add first' },
      { status: 'half-way' },
      { waitFor: { file: '.git/go' } },
      {
        spawn: {
          name: 'child',
          prompt: stringify([{ edit: { file: 'child.md', text: 'c\n' } }, { commit: 'Add child' }]),
        },
      },
      { edit: { file: 'docs/second.md', text: 'second\n' } },
      { commit: 'Add second' },
      { say: 'All done.' },
    ]);
    await found('first', (one) => isTrue(one, 'Materialised'));
    expect(cluster.serving.coldStarts.length).toBeGreaterThan(0);
    for (const type of [CLAIMS, SECRETS, NETWORK_POLICIES, DEPLOYMENTS]) {
      const made = cluster
        .audit()
        .filter(
          ({ verb, resource, namespace, code }) =>
            verb === 'create' && code === 201 && namespace === PROJECT && resource.startsWith(type.plural),
        );
      expect(made.map(({ user, impersonatedUser }) => [user, impersonatedUser])).toEqual([
        ['system:serviceaccount:tiny-system:session', 'alice'],
      ]);
    }
    expect(
      (await cluster.admin.list(NETWORK_POLICIES, { namespace: PROJECT })).items.map(({ metadata }) => metadata.name),
    ).toEqual(['first']);
  });

  test('clones over the network and works, in a pod that the project admits', async () => {
    await found('first', ({ status }) => status?.message === 'half-way', 90_000);
    expect(await commits('first')).toEqual(['Add first', 'First']);
  });

  test('has an agent without a token, on a read-only root, without privileges', async () => {
    const status = await inPod('first', 'agent', 'cat', '/proc/self/status');
    const of = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1];
    expect({
      uid: of('Uid'),
      gid: of('Gid'),
      caps: of('CapEff'),
      noNew: of('NoNewPrivs'),
      seccomp: of('Seccomp'),
    }).toEqual({
      uid: '10001',
      gid: '10001',
      caps: '0000000000000000',
      noNew: '1',
      seccomp: '2',
    });
    const found = await script('first', 'agent', 'require("fs").existsSync("/var/run/secrets")');
    expect(found.trim()).toBe('false');
    for (const folder of ['/', '/opt/tiny', '/usr/bin', '/etc'])
      await expect(inPod('first', 'agent', 'touch', `${folder}/x`)).rejects.toThrow('Read-only file system');
    for (const folder of ['/tmp', '/workspace', '/home/agent', '/state', '/run/tiny'])
      await inPod('first', 'agent', 'touch', `${folder}/x`);
  });

  test('shares the sockets of its tools, and nothing else of theirs', async () => {
    const sockets = await inPod('first', 'agent', 'ls', '/run/tiny');
    expect(sockets).toContain('harness.sock');
    expect(sockets).toContain('mcp.sock');
    const tools = await script('first', 'tools', 'require("fs").readdirSync("/var/run/secrets/tiny").join()');
    expect(tools.trim()).toContain('token');
    expect((await script('first', 'tools', 'require("fs").existsSync("/tmp/x")')).trim()).toBe('false');
  });

  test('leaves no zombie of what its agent ran', async () => {
    const states = await inPod('first', 'agent', 'sh', '-c', 'cat /proc/[0-9]*/stat | cut -d" " -f2,3');
    expect(states).not.toMatch(/\) Z/);
  });

  test('goes on where it was when its harness is killed', async () => {
    process.kill(harnessOf('first'), 'SIGKILL');
    await podOf('first', (pod) => {
      const agent = containerOf(pod, 'agent');
      return agent?.restartCount === 1 && agent.state.running;
    });
    await until('the second harness', () =>
      Promise.resolve()
        .then(() => harnessOf('first'))
        .catch(() => undefined),
    );
    expect(await commits('first')).toEqual(['Add first', 'First']);
  });

  test('goes on when its tools are killed, and reports again', async () => {
    process.kill(processOf('first', '/opt/tiny/tools.cjs'), 'SIGKILL');
    await podOf('first', (pod) => {
      const tools = containerOf(pod, 'tools');
      return tools?.restartCount === 1 && tools.state.running;
    });
    await until('the sockets', async () => (await inPod('first', 'agent', 'ls', '/run/tiny')).includes('mcp.sock'));
  });

  test('goes on in another pod on the same volume when its pod is removed by force', async () => {
    const before = await podOf('first');
    await cluster.kubectl('delete', 'pod', '-n', PROJECT, before.metadata.name, '--force', '--grace-period=0');
    await podOf('first', (pod) => pod.metadata.uid !== before.metadata.uid && containerOf(pod, 'agent')?.state.running);
    expect(await commits('first')).toEqual(['Add first', 'First']);
    await inPod('first', 'agent', 'touch', '/workspace/repo/.git/go');
  });

  test('asks, and what bob allows is made as bob', async () => {
    const question = await openQuestion('first');
    const yes = question.spec.options?.find(({ effect }) => effect === 'Allow');
    await answer(cluster.as('bob'), question, { option: yes?.id });
    const child = await found('child', () => true);
    expect(child.spec.requester?.username).toBe('bob');
    expect(child.spec.parent).toBe('first');
    const made = cluster
      .audit()
      .find(
        ({ verb, resource, name, code }) =>
          verb === 'create' && resource === 'sessions.tiny.dev' && name === 'child' && code === 201,
      );
    expect(made).toMatchObject({ user: 'system:serviceaccount:tiny-system:question', impersonatedUser: 'bob' });
    const deployment = await until('the child’s Deployment', () =>
      cluster
        .audit()
        .find(({ verb, resource, name }) => verb === 'create' && resource === 'deployments.apps' && name === 'child'),
    );
    expect(deployment).toMatchObject({ user: 'system:serviceaccount:tiny-system:session', impersonatedUser: 'bob' });
  });

  test('finishes with each commit once, for all the kills', async () => {
    const parent = await found('first', isFinished, 90_000);
    const child = await found('child', isFinished, 90_000);
    expect(parent.status?.result).toMatchObject({ commits: 2, branch: 'tiny/first' });
    expect(parent.status?.result?.summary).toContain('All done.');
    expect(child.status?.result?.commits).toBe(1);
  });

  test('holds no pod once it has finished', async () => {
    await until('no pod', async () => (await podsOf('first')).length + (await podsOf('child')).length === 0, 90_000);
    expect(isTrue(await found('first', () => true), 'Suspended')).toBe(true);
  });
});

describe('a child that carol allows, who may answer and start nothing,', () => {
  test('is not made: the API server refuses her, and the Question says so', async () => {
    await start('asks-carol', [{ spawn: { name: 'never', prompt: stringify([{ say: 'Never.' }]) } }]);
    const question = await openQuestion('asks-carol');
    const yes = question.spec.options?.find(({ effect }) => effect === 'Allow');
    await answer(cluster.as('carol'), question, { option: yes?.id });
    const acted = await until('the refusal', async () => {
      const live = await cluster.admin.get(QUESTIONS, question.metadata);
      return live?.status?.conditions?.find(({ type, status }) => type === 'Acted' && status === 'False');
    });
    expect([acted.reason, acted.message]).toEqual(['Forbidden', expect.stringContaining('User "carol" cannot create')]);
    expect(await cluster.admin.get(SESSIONS, ref('never'))).toBeUndefined();
    await cluster.as('alice').delete(SESSIONS, ref('asks-carol'));
    await until('no pod', async () => (await podsOf('asks-carol')).length === 0);
  });
});

describe('a Session that waits', () => {
  test('ends calmly on SIGTERM, tools last, when alice suspends it', async () => {
    await start('patient', [
      { edit: { file: 'a.md', text: 'a\n' } },
      { commit: 'Before' },
      { ask: { text: 'Which colour?', options: ['Red', 'Blue'], into: 'answer.txt' } },
      { commit: 'After' },
      { say: 'Asked and told.' },
    ]);
    const question = await openQuestion('patient');
    const seen: Pod[] = [];
    const ending = new AbortController();
    const watching = (async () => {
      for await (const event of cluster.admin.watch(PODS, {
        namespace: PROJECT,
        labelSelector: 'tiny.dev/session=patient',
        signal: ending.signal,
      }))
        seen.push(event.object as Pod);
    })();
    const began = performance.now();
    await edit(cluster.as('alice'), question.spec && { ...question, kind: 'Session', metadata: ref('patient') }, {
      suspend: true,
    });
    await until('no pod', async () => (await podsOf('patient')).length === 0);
    ending.abort();
    await watching;
    expect(performance.now() - began).toBeLessThan(20_000);
    const last = seen.at(-1);
    expect(last && ['agent', 'tools'].map((name) => containerOf(last, name)?.state.terminated?.exitCode)).toEqual([
      0, 0,
    ]);
  });

  test('is answered while it has no pod, and goes on with the answer when alice resumes it', async () => {
    const question = await openQuestion('patient');
    const [, blue] = question.spec.options ?? [];
    await cluster
      .as('bob')
      .patch(QUESTIONS, question.metadata, { type: 'merge', body: { spec: { answer: { option: blue?.id } } } });
    await edit(cluster.as('alice'), { ...question, kind: 'Session', metadata: ref('patient') }, { suspend: false });
    const { status } = await found('patient', isFinished, 90_000);
    expect(status?.result).toMatchObject({ commits: 2 });
    await until('no pod', async () => (await podsOf('patient')).length === 0);
  });

  testWaking(() => cluster, say);
});

describe('what a Session said', () => testReading(() => cluster));

describe('in the end', () => {
  test('no pod of ours runs, in the project or for functions', async () => {
    await until('no pod', async () => {
      const { project, functions } = await running();
      return project.length + functions.length === 0;
    });
    expect((await cluster.admin.list(SESSIONS, { namespace: PROJECT })).items.length).toBe(3);
  });

  test('deleted Sessions leave nothing', async () => {
    const alice = cluster.as('alice');
    for (const name of ['first', 'child', 'patient']) await alice.delete(SESSIONS, ref(name));
    for (const type of [DEPLOYMENTS, PODS, CLAIMS, SECRETS, NETWORK_POLICIES, QUESTIONS])
      await until(
        `no ${type.plural}`,
        async () => (await cluster.admin.list(type, { namespace: PROJECT })).items.length === 0,
      );
  });
});
