import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../lib/kube/errors.ts';
import { PODS, SESSIONS } from '../../../lib/kube/types.ts';
import { ago, condition, makeHarness, session } from '../harness.ts';

const pod = (name: string, state: object, seconds = 60) =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'demo', labels: { 'tiny.dev/session': 'a' }, creationTimestamp: ago(seconds) },
    status: { containerStatuses: [{ name: 'agent', state }] },
  }) as never;

function withPods(...pods: never[]) {
  const harness = makeHarness();
  harness.fake.put(SESSIONS, session('a', { status: { conditions: [condition(['Suspended', 'True', 'Requested'])] } }));
  for (const one of pods) harness.fake.put(PODS, one);
  harness.fake.log = 'one\n\u001b[32mtwo\u001b[2J\n';
  return harness;
}

const streamed = ({ requests }: ReturnType<typeof makeHarness>['fake']) =>
  requests.filter((request) => request.startsWith('STREAM'));

describe('tiny logs', () => {
  it("reads the newest pod's agent", async () => {
    const { tiny, fake } = withPods(pod('a-old', { running: {} }, 90), pod('a-new', { running: {} }));
    expect((await tiny(['logs', 'a', '--tail', '5'])).code).toBe(0);
    expect(streamed(fake)).toEqual(['STREAM /api/v1/namespaces/demo/pods/a-new/log?container=agent&tailLines=5']);
  });

  it('gives a pipe the bytes as they are, and a terminal nothing that it would obey but colours', async () => {
    const { tiny, fake } = withPods(pod('a-1', { running: {} }));
    expect((await tiny(['logs', 'a'])).out).toBe(fake.log);
    expect((await tiny(['logs', 'a'], { terminal: true })).out).toBe('one\n\u001b[32mtwo␛[2J\u001b[0m\n');
    expect((await tiny(['logs', 'a', '--no-color'], { terminal: true })).out).toBe('one\ntwo␛[2J\n');
  });

  it('says where the log went when there is no pod', async () => {
    const { code, err } = await withPods().tiny(['logs', 'a']);
    expect(code).toBe(1);
    expect(err).toContain('Session "a" has no pod (Suspended)');
    expect(err).toContain('`tiny logs a -f` waits for the next pod');
  });

  it('of a finished Session points to what is left of it', async () => {
    const { tiny, fake } = withPods();
    fake.put(SESSIONS, session('a', { status: { conditions: [condition(['Finished', 'True', 'Completed'])] } }));
    const { err } = await tiny(['logs', 'a']);
    expect(err).toContain('Session "a" has no pod (Finished), and its log went with that');
    expect(err).toContain('`tiny show a` tells what came of it.');
    expect(err).not.toContain('-f');
  });

  it('with -f waits until the container has begun', async () => {
    const { tiny, fake } = withPods(pod('a-1', { waiting: { reason: 'ContainerCreating' } }));
    fake.fault = (request) => {
      if (request === 'WATCH pods') setImmediate(() => fake.put(PODS, pod('a-1', { running: {} })));
    };
    const { code, out } = await tiny(['logs', 'a', '-f', '-c', 'agent']);
    expect({ code, out }).toEqual({ code: 0, out: fake.log });
    expect(streamed(fake)).toEqual(['STREAM /api/v1/namespaces/demo/pods/a-1/log?container=agent&follow=true']);
  });

  it('tells why there is no earlier container', async () => {
    const { tiny, fake } = withPods(pod('a-1', { running: {} }));
    fake.fault = (request) => {
      if (request.startsWith('STREAM')) {
        throw new ApiError(400, { reason: 'BadRequest', message: 'previous terminated container "agent" not found' });
      }
    };
    expect((await tiny(['logs', 'a', '--previous'])).err).toContain('previous terminated container "agent" not found');
  });

  it.each([[['logs', 'a', '--tail', 'x']], [['logs', 'a', '-c', 'sidecar']], [['logs']]])(
    'refuses %j',
    async (argv) => {
      expect((await withPods().tiny(argv)).code).toBe(2);
    },
  );
});
