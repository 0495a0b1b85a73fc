/** Every word that a Session's conditions can say, and who says it. */

import { findCondition, isTrue } from '../api/conditions.ts';
import type { Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';

export const CONDITION = {
  /** Function: its objects exist as the spec asks. */
  materialised: 'Materialised',
  /** Function: the workload is at zero. */
  suspended: 'Suspended',
  /** Both: the one word that `kubectl get` shows. */
  ready: 'Ready',
  /** Agent: it can't go on by itself, since a Question is open or its turn has ended. */
  waiting: 'Waiting',
  /** Agent: nothing is left to do. */
  finished: 'Finished',
} as const;

/** Reasons of Suspended=True: why the workload is at zero. */
export type AtZero = 'Requested' | 'Finished' | 'Deadline' | 'Idle';

/** Reasons of Waiting=True: for the answer to a Question, or for the next message. */
export type WaitsFor = 'Question' | 'Message';

/** Reason of Suspended=Unknown: the workload is being changed, and where it is will be told. */
export const CHANGING = 'Changing';

/** Reasons of Ready that the function tells; all others are the agent's. */
export const STARTING = 'Starting';
export const SUSPENDED = 'Suspended';

/** Reasons of Ready=False that the agent's side tells of trouble that it tries to outlast. */
export const STALLED = 'Stalled';
export const VOLUME_FULL = 'VolumeFull';

/** The message of each reason for being at zero. */
export const AT_ZERO_MESSAGE: Record<AtZero, string> = {
  Requested: 'suspended on request; `tiny resume` starts it again where it was',
  Finished: 'finished; a message (`tiny send`) starts it again',
  Deadline: 'its deadline has passed; the volume is kept until the Session is deleted',
  Idle: 'sleeps while it waits (condition Waiting says for what); an answer, a message or `tiny touch` wakes it',
};

/** Whether the agent has not had all messages yet. */
export const hasUnreadMessages = ({ spec, status }: Session): boolean =>
  (spec.messages?.length ?? 0) > (status?.messagesRead ?? 0);

/** Whether Ready says what the function told it, a refusal included, or nothing yet: then it is not the agent's. */
export function tellsReady(session: Session): boolean {
  const ready = findCondition(session, CONDITION.ready);
  const materialised = findCondition(session, CONDITION.materialised);
  const refusal = materialised?.status === 'False' ? materialised.reason : undefined;
  return !ready || [STARTING, SUSPENDED, refusal].includes(ready.reason);
}

/** Whether an earlier run made the Session's objects, at whatever generation. */
export const wasMaterialised = (session: Session): boolean => isTrue(session, CONDITION.materialised);

/** Whether the Session's objects are as this generation of the spec asks. */
export const isMaterialised = (session: Stored<Session>): boolean => {
  const condition = findCondition(session, CONDITION.materialised);
  return condition?.status === 'True' && condition.observedGeneration === session.metadata.generation;
};
