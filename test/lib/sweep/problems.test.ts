import type { V1Pod } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import type { KubeObject, Stored } from '../../../lib/api/meta.ts';
import { podProblem } from '../../../lib/sweep/pod-problem.ts';
import { problemOf, stuckCondition } from '../../../lib/sweep/stuck.ts';
import { at, condition, makeSession, NOW } from '../../support/objects.ts';

const pod = (status: object, metadata: object = {}): V1Pod =>
  ({ metadata: { name: 'fix-1', ...metadata }, spec: { nodeName: 'n1' }, status }) as V1Pod;
const waiting = (reason: string, message?: string, more: object = {}) =>
  pod({
    phase: 'Pending',
    containerStatuses: [{ name: 'agent', image: 'i', state: { waiting: { reason, message } }, ...more }],
  });
const creating = { name: 'agent', state: { waiting: { reason: 'ContainerCreating' } } };

describe('a pod says what is wrong with it', () => {
  test.each([
    ['an image', waiting('ErrImagePull', 'denied'), 'ImagePull'],
    ['an image name', waiting('InvalidImageName', 'x'), 'ImagePull'],
    ['a Secret or key', waiting('CreateContainerConfigError', 'secret "k" not found'), 'MissingReference'],
    ['a container that does not start', waiting('RunContainerError', 'x'), 'ContainerNotStarted'],
    [
      'no node',
      pod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes' }] }),
      'Unschedulable',
    ],
    ['a lost node', pod({ phase: 'Running', reason: 'NodeLost' }), 'NodeLost'],
    ['a pod that does not go', pod({ phase: 'Running' }, { deletionTimestamp: at(-300) }), 'NodeLost'],
    ['a slow volume', pod({ phase: 'Pending', startTime: at(-90), containerStatuses: [creating] }), 'SlowStart'],
  ])('%s', (_what, given, reason) => expect(podProblem(given, NOW)?.reason).toBe(reason));

  test.each([
    ['one that runs', pod({ phase: 'Running', containerStatuses: [{ name: 'agent', state: { running: {} } }] })],
    ['one that has just been made', pod({ phase: 'Pending', startTime: at(-5), containerStatuses: [creating] })],
    ['one that is just going', pod({ phase: 'Running' }, { deletionTimestamp: at(-30) })],
  ])('but nothing is wrong with %s', (_what, given) => expect(podProblem(given, NOW)).toBeUndefined());

  test('a crash is told with its code and last lines', () => {
    const ended = { lastState: { terminated: { exitCode: 2, reason: 'Error', message: 'no such file' } } };
    expect(podProblem(waiting('CrashLoopBackOff', 'back-off 40s', ended), NOW)).toEqual({
      reason: 'CrashLoop',
      what: 'container "agent" ends again and again, the last time with exit code 2',
      detail: 'no such file',
    });
  });

  test('a want of memory is told as such', () => {
    const ended = { lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } } };
    expect(podProblem(waiting('CrashLoopBackOff', 'x', ended), NOW)?.what).toContain('for want of memory');
  });
});

describe('the Session hangs on', () => {
  const refused = (message: string, replicas = 1) =>
    ({ spec: { replicas }, status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message }] } }) as never;
  const seen = (claim: unknown, deployment: unknown) =>
    problemOf(makeSession(), { children: [claim, undefined, deployment] as Stored<KubeObject>[], pod: undefined })
      ?.reason;

  test.each([
    ['a quota', undefined, refused('pods "x" is forbidden: exceeded quota: q'), 'QuotaExceeded'],
    ['a limit', undefined, refused('forbidden: maximum memory usage per Container is 1Gi'), 'LimitRange'],
    ['Pod Security', undefined, refused('violates PodSecurity'), 'PodRefused'],
    ['a claim that goes', { metadata: { name: 'fix', deletionTimestamp: at(-9) } }, undefined, 'ClaimTerminating'],
    ['a lost volume', { metadata: { name: 'fix' }, status: { phase: 'Lost' } }, undefined, 'VolumeLost'],
  ])('%s', (_what, claim, deployment, reason) => expect(seen(claim, deployment)).toBe(reason));

  test('nothing while it rests', () => expect(seen(undefined, refused('exceeded quota', 0))).toBeUndefined());

  test('and says so no more than once', () => {
    const problem = { reason: 'NodeLost', what: 'its node is lost' };
    const first = stuckCondition(makeSession(), problem, NOW);
    const status = {
      conditions: [condition('Stuck', 'True', { reason: 'NodeLost', message: 'its node is lost: 3 min' })],
    };
    expect(first).toMatchObject({ type: 'Stuck', status: 'True', reason: 'NodeLost' });
    expect(stuckCondition(makeSession({ status }), problem, NOW)).toBeUndefined();
  });
});
