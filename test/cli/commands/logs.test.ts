import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ApiError, ConnectionError } from '../../../lib/kube/errors.ts';
import { CLAIMS, NETWORK_POLICIES, PODS, QUESTIONS, SESSIONS } from '../../../lib/kube/types.ts';
import { ago, condition, makeHarness, question, session } from '../harness.ts';

const entry = (seq: number, more: object) => JSON.stringify({ v: 1, seq, at: ago(100 - seq), ...more });
const note = (seq: number) => entry(seq, { type: 'note', text: `entry ${seq}` });
const FINISHED = entry(9, { type: 'finished', reason: 'Completed', message: 'done' });
const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('');

/** What a reader of the volume prints. */
function printed(...all: string[]): string {
  const sha256 = createHash('sha256')
    .update(lines(...all))
    .digest('hex');
  return lines(...all, JSON.stringify({ tiny: 'end', lines: all.length, sha256 }));
}

const pod = (name: string, state: object, { seconds = 60, restartCount = 0 } = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'demo', labels: { 'tiny.dev/session': 'a' }, creationTimestamp: ago(seconds) },
    status: { containerStatuses: [{ name: 'agent', state, restartCount }] },
  }) as never;

const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a', namespace: 'demo' } } as never;
const asleep = { conditions: [condition(['Suspended', 'True', 'Idle'])] };
const over = {
  conditions: [condition(['Suspended', 'True', 'Finished']), condition(['Finished', 'True', 'Completed'])],
};

function world(status: object = {}, ...pods: never[]) {
  const harness = makeHarness();
  const { fake } = harness;
  fake.put(SESSIONS, session('a', { status: status as never }));
  fake.put(CLAIMS, claim);
  for (const one of pods) fake.put(PODS, one);
  fake.log = lines(note(1), note(2), note(3));
  /** As a node would run a reader: at once, to its end. */
  fake.fault = (request) => {
    const [, name = ''] = /^CREATE pods (a-read-\S+)/.exec(request) ?? [];
    if (name) setImmediate(() => begin(name));
  };
  const begin = (name: string) => {
    const made = fake.read(PODS, { namespace: 'demo', name });
    const status = { containerStatuses: [{ name: 'reader', state: { terminated: {} } }] };
    if (made) fake.put(PODS, { ...made, status } as never);
  };
  return harness;
}

const asked = ({ requests }: ReturnType<typeof makeHarness>['fake'], verb: string) =>
  requests.filter((request) => request.startsWith(verb));

describe('tiny logs', () => {
  it("renders the newest pod's transcript, with its other output in its place", async () => {
    const { tiny, fake } = world({}, pod('a-old', { running: {} }, { seconds: 90 }), pod('a-new', { running: {} }));
    fake.log = lines(note(1), 'npm warn \u001b[2J', note(2));
    const { code, out } = await tiny(['logs', 'a']);
    expect({ code, out }).toEqual({ code: 0, out: '- entry 1\n- npm warn ␛[2J\n- entry 2\n' });
    expect(asked(fake, 'STREAM')).toEqual(['STREAM /api/v1/namespaces/demo/pods/a-new/log?container=agent']);
  });

  it('gives the JSON lines with --raw, and puts all else on stderr', async () => {
    const { tiny, fake } = world({}, pod('a-1', { running: {} }));
    fake.log = lines('npm warn', note(1));
    expect(await tiny(['logs', 'a', '--raw'])).toEqual({ code: 0, out: lines(note(1)), err: 'npm warn\n' });
  });

  it('prints the last entries, and the new ones', async () => {
    const { tiny } = world({}, pod('a-1', { running: {} }));
    expect((await tiny(['logs', 'a', '--tail', '2'])).out).toBe('- entry 2\n- entry 3\n');
    expect((await tiny(['logs', 'a', '--since', '97s'])).out).toBe('- entry 3\n');
    expect((await tiny(['logs', 'a', '--since', ago(98)])).out).toBe('- entry 2\n- entry 3\n');
  });

  it('tells at the end which Questions are open, and how they are answered', async () => {
    const { tiny, fake } = world({}, pod('a-1', { running: {} }));
    fake.put(QUESTIONS, question('a-q1', { session: 'a' }));
    fake.put(QUESTIONS, question('b-q1', { session: 'b' }));
    const { err } = await tiny(['logs', 'a']);
    expect(err).toMatch(/tiny answer a-q1@\S+ allow/);
    expect(err).not.toContain('b-q1');
  });

  it('of the tools gives the plain log, and a pipe its bytes', async () => {
    const { tiny, fake } = world({}, pod('a-1', { running: {} }));
    fake.log = 'one\n\u001b[32mtwo\u001b[2J\n';
    fake.put(PODS, {
      ...(pod('a-1', { running: {} }) as object),
      status: { initContainerStatuses: [{ name: 'tools', state: { running: {} } }] },
    } as never);
    expect((await tiny(['logs', 'a', '-c', 'tools', '--tail', '5'])).out).toBe(fake.log);
    expect((await tiny(['logs', 'a', '-c', 'tools'], { terminal: true })).out).toBe(
      'one\n\u001b[32mtwo␛[2J\u001b[0m\n',
    );
    expect(asked(fake, 'STREAM')[0]).toContain('?container=tools&tailLines=5');
  });

  it('tells why there is no earlier container', async () => {
    const { tiny, fake } = world({}, pod('a-1', { running: {} }));
    fake.fault = (request) => {
      if (request.startsWith('STREAM'))
        throw new ApiError(400, { reason: 'BadRequest', message: 'previous terminated container "agent" not found' });
    };
    expect((await tiny(['logs', 'a', '--previous'])).err).toContain('previous terminated container "agent" not found');
  });

  it('of a pod that has not begun says so, and makes none', async () => {
    const { tiny, fake } = world({}, pod('a-1', { waiting: { reason: 'ContainerCreating' } }));
    const { code, err } = await tiny(['logs', 'a']);
    expect(code).toBe(1);
    expect(err).toContain('Session "a" has a pod that has not begun (Pending)');
    expect(asked(fake, 'CREATE')).toEqual([]);
  });

  it.each([
    [['logs', 'a', '--tail', 'x']],
    [['logs', 'a', '--since', 'yesterday']],
    [['logs', 'a', '-c', 'sidecar']],
    [['logs']],
  ])('refuses %j', async (argv) => {
    expect((await world({}).tiny(argv)).code).toBe(2);
  });
});

describe('tiny logs of a Session that sleeps', () => {
  it('reads the volume by a pod that can do nothing else, and removes it', async () => {
    const { tiny, fake } = world(asleep);
    fake.log = printed(note(1), note(2));
    let made: unknown;
    const { fault } = fake;
    fake.fault = (request) => {
      fault(request);
      if (request.startsWith('STREAM')) made = fake.read(PODS, { namespace: 'demo', name: 'a-read-kkkkk' });
    };
    const { code, out, err } = await tiny(['logs', 'a']);
    expect({ code, out }).toEqual({ code: 0, out: '- entry 1\n- entry 2\n' });
    expect(err).toContain('one is made to read its volume');
    expect(made).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Session', name: 'a' }] },
      spec: {
        restartPolicy: 'Never',
        activeDeadlineSeconds: 300,
        automountServiceAccountToken: false,
        containers: [
          {
            securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
            volumeMounts: [{ mountPath: '/volume', readOnly: true }],
          },
        ],
      },
    });
    expect(asked(fake, 'CREATE')).toEqual(['CREATE networkpolicies tiny-readers', 'CREATE pods a-read-kkkkk']);
    expect(asked(fake, 'DELETE')).toEqual(['DELETE pods a-read-kkkkk']);
    expect(fake.read(NETWORK_POLICIES, { namespace: 'demo', name: 'tiny-readers' })).toMatchObject({
      spec: { ingress: [], egress: [], policyTypes: ['Ingress', 'Egress'] },
    });
  });

  it.each([
    ['cut off', lines(note(1), note(2))],
    ['with a line missing', printed(note(1), note(2)).replace(`${note(2)}\n`, '')],
    ['empty', ''],
  ])('fails loudly where what it printed is %s', async (_, log) => {
    const { tiny, fake } = world(asleep);
    fake.log = log;
    const { code, err } = await tiny(['logs', 'a']);
    expect(code).toBe(1);
    expect(err).toContain('what was done with the volume of Session "a" is not whole');
    expect(asked(fake, 'DELETE')).toHaveLength(1);
  });

  it('says which right is missing', async () => {
    const { tiny, fake } = world(asleep);
    fake.fault = (request) => {
      if (request.startsWith('CREATE pods'))
        throw new ApiError(403, { reason: 'Forbidden', message: 'User "carol" cannot create resource "pods"' });
    };
    const { code, err } = await tiny(['logs', 'a']);
    expect(code).toBe(1);
    expect(err).toContain('one that reads its volume could not be made for you');
    expect(err).toContain('verb "create" on "pods"');
  });

  it('says that the quota is full, in other words', async () => {
    const { tiny, fake } = world(asleep);
    fake.fault = (request) => {
      if (request.startsWith('CREATE pods'))
        throw new ApiError(403, { reason: 'Forbidden', message: 'exceeded quota: pods=5' });
    };
    expect((await tiny(['logs', 'a'])).err).toMatch(/exceeded quota: pods=5\n.*frees a place/);
  });

  it('says why the reader does not begin, and removes it', async () => {
    const { tiny, fake } = world(asleep);
    fake.fault = (request) => {
      if (request !== 'WATCH pods') return;
      const made = fake.read(PODS, { namespace: 'demo', name: 'a-read-kkkkk' });
      const waiting = { reason: 'ImagePullBackOff', message: 'no such image' };
      if (made)
        fake.put(PODS, { ...made, status: { containerStatuses: [{ name: 'reader', state: { waiting } }] } } as never);
    };
    const { code, err } = await tiny(['logs', 'a']);
    expect(code).toBe(1);
    expect(err).toContain('does not begin: ImagePullBackOff: no such image');
    expect(asked(fake, 'DELETE')).toHaveLength(1);
  });

  it('removes the reader at Ctrl-C, too', async () => {
    const { tiny, fake } = world(asleep);
    const stop = new AbortController();
    fake.logAt = async function* () {
      yield lines(note(1), note(2));
      stop.abort();
      stop.signal.throwIfAborted();
    };
    expect((await tiny(['logs', 'a'], { signal: stop.signal })).code).toBe(130);
    expect(asked(fake, 'DELETE')).toEqual(['DELETE pods a-read-kkkkk']);
  });

  it('of one with neither pod nor volume says so', async () => {
    const { tiny, fake } = world(asleep);
    fake.remove(CLAIMS, { namespace: 'demo', name: 'a' });
    expect((await tiny(['logs', 'a'])).err).toContain('Session "a" has neither a pod nor a volume yet');
  });
});

describe('tiny logs -f', () => {
  it('waits until the container has begun', async () => {
    const { tiny, fake } = world({}, pod('a-1', { waiting: { reason: 'ContainerCreating' } }));
    fake.fault = (request) => {
      if (request === 'WATCH pods') setImmediate(() => fake.put(PODS, pod('a-1', { running: {} })));
    };
    fake.logAt = () => {
      fake.put(SESSIONS, session('a', { status: over }));
      fake.remove(PODS, { namespace: 'demo', name: 'a-1' });
      return lines(note(1), FINISHED);
    };
    const { code, out } = await tiny(['logs', 'a', '-f']);
    expect({ code, out }).toEqual({
      code: 0,
      out: '- entry 1\n- 7 entries of the transcript no longer there\n= Completed: done\n',
    });
    expect(asked(fake, 'STREAM')).toEqual(['STREAM /api/v1/namespaces/demo/pods/a-1/log?container=agent&follow=true']);
  });

  it('goes on through a restart and through sleep, and tells nothing twice', async () => {
    const { tiny, fake } = world({}, pod('a-1', { running: {} }));
    const logs = [
      () => {
        fake.put(PODS, pod('a-1', { running: {} }, { restartCount: 1 }));
        return lines(note(1), note(2), 'harness: killed');
      },
      () => {
        fake.remove(PODS, { namespace: 'demo', name: 'a-1' });
        fake.put(SESSIONS, session('a', { status: asleep }));
        return lines(note(1), note(2), note(3));
      },
      () => {
        fake.remove(PODS, { namespace: 'demo', name: 'a-2' });
        fake.put(SESSIONS, session('a', { status: over }));
        return lines(note(1), note(2), note(3), note(4), ...[5, 6, 7, 8].map(note), FINISHED);
      },
    ];
    fake.logAt = () => (logs.shift() as () => string)();
    fake.fault = (request) => {
      if (request === 'WATCH pods') setImmediate(() => fake.put(PODS, pod('a-2', { running: {} })));
    };
    const { code, out, err } = await tiny(['logs', 'a', '-f']);
    expect(code).toBe(0);
    expect(out).toBe(
      `- entry 1\n- entry 2\n- harness: killed\n${[3, 4, 5, 6, 7, 8].map((seq) => `- entry ${seq}\n`).join('')}= Completed: done\n`,
    );
    expect(err).toContain('- a: Suspended; waiting (Ctrl-C ends)');
    expect(err).toContain('- its pod runs again');
  });

  it('reads again a log that the connection has cut', async () => {
    const { tiny, fake } = world({}, pod('a-1', { running: {} }));
    let count = 0;
    fake.logAt = async function* () {
      count += 1;
      yield lines(note(1));
      if (count === 1) throw new ConnectionError('reset');
      fake.remove(PODS, { namespace: 'demo', name: 'a-1' });
      fake.put(SESSIONS, session('a', { status: over }));
      yield lines(note(2), entry(3, { type: 'finished', reason: 'Completed', message: 'done' }));
    };
    expect((await tiny(['logs', 'a', '-f'])).out).toBe('- entry 1\n- entry 2\n= Completed: done\n');
  });

  it('tells a Question when it opens, also one of which the transcript knows nothing, and who answered it', async () => {
    const { tiny, fake } = world({}, pod('a-1', { running: {} }));
    const opened = question('a-q1', { session: 'a', kind: 'Ask', text: 'Which colour?' });
    fake.put(QUESTIONS, question('b-q1', { session: 'b' }));
    const wait = () => new Promise((resolve) => setImmediate(resolve));
    fake.logAt = async function* () {
      fake.put(QUESTIONS, opened);
      yield lines(note(1));
      await wait();
      const answer = { option: 'allow', by: { username: 'bob' } };
      fake.put(QUESTIONS, { ...opened, spec: { ...opened.spec, answer } } as never);
      await wait();
      fake.remove(PODS, { namespace: 'demo', name: 'a-1' });
      fake.put(SESSIONS, session('a', { status: over }));
      yield lines(entry(2, { type: 'finished', reason: 'Completed', message: 'done' }));
    };
    const { out, err } = await tiny(['logs', 'a', '-f']);
    expect(out).toBe('- entry 1\n= Completed: done\n');
    expect(err).toMatch(/> Which colour\?\n.*tiny answer a-q1@\S+ .*\n? a-q1: bob answered allow/s);
    expect(err).not.toContain('b-q1');
  });

  it('of a finished Session tells what was, and ends', async () => {
    const { tiny, fake } = world(over);
    fake.log = printed(note(1), entry(2, { type: 'finished', reason: 'Completed', message: 'done' }));
    const { code, out } = await tiny(['logs', 'a', '-f']);
    expect({ code, out }).toEqual({ code: 0, out: '- entry 1\n= Completed: done\n' });
    expect(asked(fake, 'DELETE')).toHaveLength(1);
  });

  it('of one that is deleted says so, and ends', async () => {
    const { tiny, fake } = world({}, pod('a-1', { running: {} }));
    fake.logAt = () => {
      fake.remove(PODS, { namespace: 'demo', name: 'a-1' });
      fake.remove(SESSIONS, { namespace: 'demo', name: 'a' });
      return lines(note(1));
    };
    expect(await tiny(['logs', 'a', '-f'])).toMatchObject({
      code: 0,
      out: '- entry 1\n',
      err: expect.stringContaining('Session a was deleted.'),
    });
  });

  it('ends at Ctrl-C', async () => {
    const { tiny, fake } = world({}, pod('a-1', { waiting: { reason: 'ContainerCreating' } }));
    const stop = new AbortController();
    fake.fault = (request) => {
      if (request === 'WATCH pods') setImmediate(() => stop.abort());
    };
    expect((await tiny(['logs', 'a', '-f'], { signal: stop.signal })).code).toBe(130);
  });
});
