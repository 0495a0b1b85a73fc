import { describe, expect, it } from 'vitest';
import { LABEL } from '../../../lib/api/meta.ts';
import { ApiError } from '../../../lib/kube/errors.ts';
import { PODS, SESSIONS } from '../../../lib/kube/types.ts';
import { condition, makeHarness, session } from '../harness.ts';

const waiting = (reason: string, message: string) => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'agent', image: 'acme/agent:1', state: { waiting: { reason, message } } }],
});
const NO_IMAGE = waiting('ImagePullBackOff', 'Back-off pulling image: not\nfound');

/** A Session `a`, whose pod is in this state. */
function given(status: object = NO_IMAGE) {
  const harness = makeHarness();
  const conditions = [condition(['Ready', 'False', 'Starting'])];
  const { metadata } = harness.fake.put(SESSIONS, session('a', { status: { conditions } }));
  const pod = (of: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a-1', namespace: 'demo', labels: { [LABEL.sessionUid]: of } },
    status,
  });
  return { ...harness, pod, putPod: () => harness.fake.put(PODS, pod(metadata.uid)) };
}

describe('what keeps a pod from running', () => {
  it('is shown with the Session, in one line', async () => {
    const { tiny, putPod } = given();
    putPod();
    expect((await tiny(['show', 'a'])).out).toMatch(
      /^Pod: +the image "acme\/agent:1" of container "agent" can't be pulled: Back-off pulling image: not\S* ?found$/m,
    );
  });

  it.each([
    [
      'no node takes it',
      { conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes' }] },
      '0/3 nodes',
    ],
    ['a Secret is missing', waiting('CreateContainerConfigError', 'secret "key" not found'), 'secret "key" not found'],
    ['it ends again and again', waiting('CrashLoopBackOff', 'back-off 5m'), 'again and again'],
  ])('is shown when %s', async (_what, status, words) => {
    const { tiny, putPod } = given(status);
    putPod();
    expect((await tiny(['show', 'a'])).out).toMatch(new RegExp(`^Pod: .*${words}`, 'm'));
  });

  it('is shown when a volume waits for a Secret that is not there, which the Events of the pod alone say', async () => {
    const { tiny, fake, putPod } = given(waiting('PodInitializing', ''));
    const { uid } = putPod().metadata;
    const event = (reason: string, more: object): object => ({ type: 'Warning', reason, ...more });
    const mount = { message: 'MountVolume.SetUp failed for volume "push": secret "nope" not found' };
    const events = [
      event('FailedScheduling', { lastTimestamp: '2026-01-01T00:00:00Z', message: '0/1 nodes' }),
      event('FailedMount', { lastTimestamp: '2026-01-01T00:00:01Z', ...mount }),
    ];
    fake.eventsAt = (path) => (decodeURIComponent(path).includes(`involvedObject.uid=${uid}&`) ? events : []);
    expect((await tiny(['show', 'a'])).out).toMatch(/^Pod: +FailedMount: MountVolume.* secret "nope" not found$/m);
    events.push({ type: 'Normal', reason: 'Pulled', lastTimestamp: '2026-01-01T00:00:02Z' });
    expect((await tiny(['show', 'a'])).out).not.toMatch(/^Pod:/m);
  });

  it('is not shown to whoever may not read pods, and the rest is', async () => {
    const { tiny, putPod, fake } = given();
    putPod();
    fake.fault = (request) => {
      if (request === 'LIST pods') throw new ApiError(403, { reason: 'Forbidden', message: 'no' });
    };
    const { code, out } = await tiny(['show', 'a']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^State: +Starting$/m)]);
    expect(out).not.toMatch(/^Pod:/m);
  });

  it('is told to whoever waits for a new Session', async () => {
    const { tiny, fake, pod } = given();
    let note = '';
    fake.fault = (request) => {
      if (request !== 'WATCH pods') return;
      const { uid = '' } = fake.read(SESSIONS, { namespace: 'demo', name: 'b' })?.metadata ?? {};
      queueMicrotask(() => fake.put(PODS, pod(uid)));
      const status = { conditions: [condition(['Finished', 'True', 'Failed'], 'gave up')] };
      setTimeout(() => fake.put(SESSIONS, { ...session('b'), status } as never), 20);
    };
    ({ err: note } = await tiny(['new', 'x', '--name', 'b', '--wait']));
    expect(note).toContain('b: the image "acme/agent:1" of container "agent" can\'t be pulled');
    expect(note).toContain('gave up');
  });

  it('does not end the wait of whoever may not watch pods', async () => {
    const { tiny, fake } = given();
    fake.fault = (request) => {
      if (request === 'WATCH pods') throw new ApiError(403, { reason: 'Forbidden', message: 'no' });
      if (request !== 'WATCH sessions') return;
      const status = { conditions: [condition(['Finished', 'True', 'Completed'])] };
      queueMicrotask(() => fake.put(SESSIONS, { ...session('b'), status } as never));
    };
    expect((await tiny(['new', 'x', '--name', 'b', '--wait'])).code).toBe(0);
  });
});
