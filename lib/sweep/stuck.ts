/**
 * Why a Session hangs, in words on the Session: condition Stuck, the sweep's own. It is told once a change: what
 * Kubernetes words anew every minute (back-offs, counts) is no change. Pure.
 */
import type { V1Deployment, V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { findCondition, type Telling, transition } from '../api/conditions.ts';
import type { Condition, Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import type { Children } from './out-of-step.ts';
import type { Problem } from './pod-problem.ts';

export const STUCK = 'Stuck';
const LONGEST_DETAIL = 1500;

/** Why the Deployment has no pod: the API server refused it. */
function workloadProblem(deployment: V1Deployment | undefined): Problem | undefined {
  const failure = deployment?.status?.conditions?.find(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  );
  if (!failure) return undefined;
  const { message = '' } = failure;
  if (/exceeded quota/.test(message)) {
    return { reason: 'QuotaExceeded', what: 'a quota of the project is used up', detail: message };
  }
  if (/LimitRange|maximum (cpu|memory)|minimum (cpu|memory)/.test(message)) {
    return { reason: 'LimitRange', what: 'a limit of the project refuses the pod', detail: message };
  }
  return { reason: 'PodRefused', what: 'the API server refuses the pod', detail: message };
}

function claimProblem(claim: V1PersistentVolumeClaim | undefined): Problem | undefined {
  if (claim?.metadata?.deletionTimestamp) {
    return { reason: 'ClaimTerminating', what: `its volume claim "${claim.metadata.name}" is being deleted` };
  }
  if (claim?.status?.phase === 'Lost') {
    return { reason: 'VolumeLost', what: `the volume of claim "${claim.metadata?.name}" is gone` };
  }
}

export interface Seen {
  children: Children;
  /** Of the Session's pods. */
  pod: Problem | undefined;
  /** What nobody puts right. */
  withheld?: Problem | undefined;
}

/** What the Session hangs on; `undefined` where it goes on, or is to rest. */
export function problemOf(session: Stored<Session>, { children, pod, withheld }: Seen): Problem | undefined {
  const [claim, , deployment] = children as [V1PersistentVolumeClaim?, unknown?, V1Deployment?];
  if (session.metadata.deletionTimestamp) return undefined;
  if (withheld || deployment?.spec?.replicas === 0) return withheld;
  return claimProblem(claim) ?? workloadProblem(deployment) ?? pod;
}

/** The condition to tell; `undefined` where the Session says it already. */
export function stuckCondition(
  session: Stored<Session>,
  problem: Problem | undefined,
  now: Date,
): Condition | undefined {
  const before = findCondition(session, STUCK);
  if (!problem && before?.status !== 'True') return undefined;
  if (
    problem &&
    before?.status === 'True' &&
    before.reason === problem.reason &&
    before.message.startsWith(problem.what)
  ) {
    return undefined;
  }
  return transition(session, problem ? worded(problem) : GOES_ON, now);
}

const GOES_ON: Telling = { type: STUCK, status: 'False', reason: 'GoesOn', message: 'what it hung on has passed' };

const worded = ({ reason, what, detail }: Problem): Telling => ({
  type: STUCK,
  status: 'True',
  reason,
  message: detail ? `${what}: ${detail.trim().slice(0, LONGEST_DETAIL)}` : what,
});
