/**
 * What of Sessions is out of step, in a word for the log: decided from what was listed alone, by the same plans that the functions
 * follow, so that the two can't disagree. Pure.
 */
import type { KubeObject, Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { CLAIMS, CONFIG_MAPS, type ConfigMap, DEPLOYMENTS, NETWORK_POLICIES } from '../kube/types.ts';
import type { Ensure, Plan, Reconciler } from '../plan.ts';
import { covers } from './covers.ts';
import type { Problem } from './pod-problem.ts';

/** All that is ours, and no other's, is labelled so. */
export const OURS = 'app.kubernetes.io/managed-by=tiny';

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

/** What is found of a Session. */
export interface Drift {
  /** Why it is worth a close look; absent: all is as it should be, or can't be helped. */
  why?: string | undefined;
  /** What is amiss and not put right, because its requester's stamp is too old. */
  withheld?: Problem | undefined;
}

/** What else is known when an object is looked at. */
export interface Among {
  now: Date;
  /** Of its project. */
  settings?: Stored<ConfigMap> | undefined;
}

export function sessionOutOfStep(
  sessions: Reconciler<Session>,
  { session, children }: { session: Stored<Session>; children: Children },
  { now, settings }: Among,
): Drift {
  const plan = knowing(settings, sessions.plan(session, now));
  if (isDue(sessions, session, { plan, now })) return { why: 'not as its spec asks' };
  const { ensure, withheld } = knowing(settings, sessions.plan(session, now, 'closely'));
  const first = (wanted: Ensure[] = []) => wanted.flatMap((child) => amiss(child, children) ?? [])[0];
  const missed = first(withheld?.ensure);
  if (!withheld || !missed) return { why: first(ensure) };
  const { reason, message: detail } = withheld.refusal;
  return { withheld: { reason, what: `${missed}, and not put right`, detail } };
}

/** The plan once it has read the settings, where it asks for them. Other objects are for the function to read. */
export const knowing = (settings: Stored<ConfigMap> | undefined, plan: Plan): Plan =>
  plan.reading?.type.kind === CONFIG_MAPS.kind ? plan.reading.plan([settings]) : plan;
