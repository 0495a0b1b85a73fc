/**
 * What of Sessions is out of step, in a word for the log: decided from what was listed alone, by the same plans that the functions
 * follow, so that the two can't disagree. Pure.
 */
import type { KubeObject, Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { CLAIMS, DEPLOYMENTS, NETWORK_POLICIES } from '../kube/types.ts';
import type { Ensure, Plan, Reconciler } from '../plan.ts';
import { covers } from './covers.ts';

/** The kinds of a Session's children that are listed. Secrets are not: nothing of ours can list them. */
export const CHILDREN = [CLAIMS, NETWORK_POLICIES, DEPLOYMENTS] as const;

/** One object of each of `CHILDREN`, in that order; absent: there is none of the Session's name. */
export type Children = readonly (Stored<KubeObject> | undefined)[];

/** Whether a plan asks for anything that has not been told already. */
export function isDue<T extends KubeObject>(reconciler: Reconciler<T>, object: Stored<T>, { plan, now }: Due): boolean {
  if (plan.refusal) return reconciler.refused(object, plan.refusal, now) !== undefined;
  return (
    plan.ensure.length + plan.remove.length > 0 ||
    plan.report !== undefined ||
    plan.apply !== undefined ||
    plan.again === true
  );
}

interface Due {
  plan: Plan;
  now: Date;
}

function amiss({ type, object, mine, foreign }: Ensure, children: Children): string | undefined {
  const place = CHILDREN.findIndex(({ kind }) => kind === type.kind);
  if (place === -1) return undefined;
  const live = children[place];
  if (!live) return `${type.kind} missing`;
  if (!mine?.(live)) return `${type.kind} of another`;
  if (foreign?.(live) || !covers(object, live)) return `${type.kind} changed`;
  return undefined;
}

/** Why the Session is worth a close look; `undefined` where all is as it should be. */
export function sessionOutOfStep(
  sessions: Reconciler<Session>,
  { session, children }: { session: Stored<Session>; children: Children },
  now: Date,
): string | undefined {
  const plan = sessions.plan(session, now);
  if (isDue(sessions, session, { plan, now })) return 'not as its spec asks';
  const [first] = sessions.plan(session, now, 'closely').ensure.flatMap((child) => amiss(child, children) ?? []);
  return first;
}
