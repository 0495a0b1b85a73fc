/** Tells a Session what it hangs on: the one condition that is the sweep's own, and an Event for each change of it. */
import type { V1Pod } from '@kubernetes/client-node';
import { type KubeObject, LABEL, type Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { each } from '../kube/each.ts';
import { isAlreadyExists, isConflict, isForbidden, isNotFound } from '../kube/errors.ts';
import { type Client, EVENTS, PODS, SESSIONS } from '../kube/types.ts';
import { versionOf } from '../kube/version.ts';
import { makeStuckEvent } from './event.ts';
import { explained } from './explained.ts';
import { type Children, OURS } from './out-of-step.ts';
import { type PodTrouble, type Problem, podProblem } from './pod-problem.ts';
import { problemOf, stuckCondition } from './stuck.ts';

interface Edge {
  client: Client;
  now: () => Date;
}

/** What hangs, by the uid of the Session whose pod it is. */
export async function problemsOfPods({ client, now }: Edge): Promise<Map<string, PodTrouble>> {
  const problems = new Map<string, PodTrouble>();
  for await (const pod of each(client, PODS, { labelSelector: OURS })) {
    const problem = podProblem(pod as V1Pod, now());
    const uid = pod.metadata.labels?.[LABEL.sessionUid];
    if (problem && uid) problems.set(uid, { problem, pod: pod.metadata });
  }
  return problems;
}

interface Around {
  children: Children;
  /** What nobody puts right. */
  withheld: Problem | undefined;
  pod: PodTrouble | undefined;
}

/** Whether the Session was told anything new. */
export async function tellStuck(
  { client, now }: Edge,
  session: Stored<Session>,
  { children, pod, withheld }: Around,
): Promise<boolean> {
  const seen = problemOf(session, { children, withheld, pod: pod?.problem });
  const problem = seen && pod && seen === pod.problem ? await explained(client, pod) : seen;
  const condition = stuckCondition(session, problem, now());
  if (!condition) return false;
  await record(client, makeStuckEvent(session, condition, now()));
  try {
    await client.applyStatus(SESSIONS, { ...versionOf(session), status: { conditions: [condition] } });
    return true;
  } catch (error) {
    // It changed or went meanwhile: the next pass looks again.
    if (isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
}

/** An Event is for people and for collectors: that one can't be written keeps the condition from nobody. */
async function record(client: Client, event: KubeObject): Promise<void> {
  try {
    await client.create(EVENTS, event);
  } catch (error) {
    // It is there already, the namespace is going, or this installation lets the sweep write none.
    if (!isConflict(error) && !isAlreadyExists(error) && !isForbidden(error) && !isNotFound(error)) throw error;
  }
}
