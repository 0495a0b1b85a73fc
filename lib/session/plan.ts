/**
 * What a Session needs, from the Session alone: a new one costs one read, one create a child and one report, and
 * one that is as it should be costs the read. Our own reports come back as events, so most events are of that kind;
 * whether a child was deleted or edited behind our back is for the sweep to see, which asks for a closer look.
 */
import { alreadySays, findCondition, type Telling, transition } from '../api/conditions.ts';
import type { Condition, Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import type { Look } from '../event/receive.ts';
import { mastersHint, notAPerson } from '../identity/person.ts';
import { CLAIMS, DEPLOYMENTS, NETWORK_POLICIES, SECRETS, SESSIONS } from '../kube/types.ts';
import { type Ensure, NOTHING, type Plan, type Reconciler, type Refusal, type Report } from '../plan.ts';
import { atZero, isPastRetention } from './lifetime.ts';
import { makeClaim } from './make-claim.ts';
import { foreignTo, makeDeployment } from './make-deployment.ts';
import { makeNetworkPolicy } from './make-network-policy.ts';
import { makeSecret } from './make-secret.ts';
import { belongsTo, isClaimOf } from './names.ts';
import {
  AT_ZERO_MESSAGE,
  type AtZero,
  CHANGING,
  CONDITION,
  isMaterialised,
  STARTING,
  SUSPENDED,
  tellsReady,
  wasMaterialised,
} from './status.ts';
import { mayHaveToBeWoken, unlessAnswered } from './wake.ts';

export function planSession(session: Stored<Session>, now: Date, look: Look = 'glance'): Plan {
  if (session.metadata.deletionTimestamp) return NOTHING;
  const refusal = notAPerson(session.spec.requester);
  if (refusal) return { ...NOTHING, refusal };
  const actor = session.spec.requester;
  if (!actor) return NOTHING;
  if (isPastRetention(session, now)) return { ...NOTHING, actor, remove: [removal(session)] };
  const toward = (zero: AtZero | undefined): Plan =>
    mustAnnounce(session, zero)
      ? { ...NOTHING, report: announcement(session, now), again: true }
      : { actor, remove: [], ensure: due(session, zero, look), ...reportOf(session, tellings(session, zero), now) };
  const zero = atZero(session, now);
  if (zero !== 'Idle') return toward(zero);
  const reading = unlessAnswered(session, now, (isAnswered) => toward(isAnswered ? undefined : zero));
  return { ...toward(zero), ...(reading && { reading }) };
}

/**
 * Whether the workload is to be changed without a change of the spec. That is announced first: after a kill between
 * the change and its report, the report of before would otherwise pass for the truth once the agent goes on. Going to
 * sleep always is: whoever answers a Question after it was read here finds the announcement, and wakes the Session.
 */
function mustAnnounce(session: Stored<Session>, zero: AtZero | undefined): boolean {
  if (zero === 'Idle') return !mayHaveToBeWoken(session);
  return (
    isMaterialised(session) && (isAtZero(session) || isAtOne(session)) && isAtZero(session) !== (zero !== undefined)
  );
}

/** Beside it stands what else is ours to say, unchanged: server-side apply takes away what is left out. */
function announcement(session: Stored<Session>, now: Date): Report {
  const message = 'the workload is being changed';
  const told = {
    type: CONDITION.suspended,
    status: 'Unknown',
    reason: CHANGING,
    message,
    ...observed(session),
  } as const;
  const others = [CONDITION.materialised, ...(tellsReady(session) ? [CONDITION.ready] : [])];
  const kept = others.flatMap((type) => findCondition(session, type) ?? []);
  return { conditions: [...kept, transition(session, told, now)] };
}

/** The objects to make or bring into line; the isolation stands before the workload does. */
function due(session: Stored<Session>, zero: AtZero | undefined, look: Look): Ensure[] {
  const common = { known: wasMaterialised(session), mine: belongsTo(session), mode: 'apply' } as const;
  const object = makeDeployment(session, zero ? 0 : 1);
  const workload: Ensure = { ...common, type: DEPLOYMENTS, object, foreign: foreignTo(object) };
  if (look === 'glance' && isMaterialised(session)) return isAtZero(session) || isAtOne(session) ? [] : [workload];
  return [
    { ...common, mine: isClaimOf(session), type: CLAIMS, object: makeClaim(session) },
    { type: SECRETS, object: makeSecret(session), known: false, mode: 'create' },
    { ...common, type: NETWORK_POLICIES, object: makeNetworkPolicy(session) },
    workload,
  ];
}

/** Whether the workload was last seen to be at one. */
const isAtOne = (session: Stored<Session>): boolean => findCondition(session, CONDITION.suspended)?.status === 'False';

const isAtZero = (session: Stored<Session>): boolean => findCondition(session, CONDITION.suspended)?.status === 'True';

const removal = ({ metadata: { name, namespace, uid } }: Stored<Session>) => ({
  type: SESSIONS,
  ref: { name, ...(namespace && { namespace }) },
  precondition: { uid },
});

/** What is told when all is done: the workload's state, and Ready where it is ours to say. */
function tellings(session: Stored<Session>, zero: AtZero | undefined): Telling[] {
  const at = observed(session);
  const running: Telling = {
    type: CONDITION.suspended,
    status: 'False',
    reason: 'Running',
    message: 'the workload is at one',
    ...at,
  };
  return [
    {
      type: CONDITION.materialised,
      status: 'True',
      reason: 'Materialised',
      message: 'all its objects are made',
      ...at,
    },
    zero ? { ...running, status: 'True', reason: zero, message: AT_ZERO_MESSAGE[zero] } : running,
    ...ready(session, zero),
  ];
}

const observed = ({ metadata: { generation } }: Stored<Session>) =>
  generation === undefined ? {} : { observedGeneration: generation };

/** Ready is the agent's to say while it runs and after it has finished; before, between and when put to sleep it is ours. */
function ready(session: Stored<Session>, zero: AtZero | undefined): Telling[] {
  const base = { type: CONDITION.ready, status: 'False', ...observed(session) } as const;
  if (zero === 'Finished') return [asFinished(session)];
  if (zero) return [{ ...base, reason: SUSPENDED, message: AT_ZERO_MESSAGE[zero] }];
  return !isAtOne(session) || tellsReady(session)
    ? [{ ...base, reason: STARTING, message: 'the agent is starting' }]
    : [];
}

/**
 * Both sides say the same of a finished Session. Left out, server-side apply would take away the words that were ours
 * (put to sleep, refused) and leave a condition without any.
 */
function asFinished(session: Stored<Session>): Telling {
  const { reason = '', message = '' } = findCondition(session, CONDITION.finished) ?? {};
  const word = reason === 'Failed' ? 'Failed' : 'Finished';
  return { type: CONDITION.ready, status: 'False', reason: word, message, ...observed(session) };
}

function reportOf(session: Stored<Session>, told: Telling[], now: Date): { report?: Report } {
  const conditions: Condition[] = told.map((telling) => transition(session, telling, now));
  return conditions.every((condition) => alreadySays(session, condition)) ? {} : { report: { conditions } };
}

const RETRIED = '; it is tried again for a while, and then with `tiny touch`';

/** The refusal in the words that a person can act on. */
function wordsOf({ spec: { requester } }: Session, { reason, message, passes }: Refusal): string {
  if (passes) return message + RETRIED;
  return reason === 'Forbidden' && requester ? message + mastersHint(requester) : message;
}

/** A refusal is told on Materialised, and on Ready, which `kubectl get` shows, unless an agent runs and has its own say. */
function refused(session: Stored<Session>, refusal: Refusal, now: Date): Report | undefined {
  const message = wordsOf(session, refusal);
  const told = { status: 'False', reason: refusal.reason, message, ...observed(session) } as const;
  const { materialised, ready: shown } = CONDITION;
  const types = isAtOne(session) && !tellsReady(session) ? [materialised] : [materialised, shown];
  const { report } = reportOf(
    session,
    types.map((type) => ({ type, ...told })),
    now,
  );
  const suspended = findCondition(session, CONDITION.suspended);
  return report && { conditions: [...report.conditions, ...(suspended ? [suspended] : [])] };
}

/** Reconciles Sessions. */
export const sessions: Reconciler<Session> = { type: SESSIONS, final: false, plan: planSession, refused };
