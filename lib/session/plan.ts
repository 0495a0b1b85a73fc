/**
 * What a Session needs, from the Session alone: a new one costs one read, one create a child and one report, and
 * one that is as it should be costs the read. Our own reports come back as events, so most events are of that kind;
 * whether a child was deleted or edited behind our back is for the sweep to see, which asks for a closer look.
 */
import { findCondition } from '../api/conditions.ts';
import type { Stored } from '../api/meta.ts';
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
import { byAge } from './old-stamp.ts';
import { DEFAULT_MAX_AGE } from './stamp-age.ts';
import { type AtZero, CONDITION, isMaterialised, tellsReady, wasMaterialised } from './status.ts';
import { announcement, isAtOne, isAtZero, observed, reportOf, tellings } from './telling.ts';
import { mayHaveToBeWoken, unlessAnswered } from './wake.ts';

/** How a Session is looked at. */
interface How {
  /** Default: a glance. */
  look?: Look | undefined;
  /** How old a stamp may be where the project's settings say nothing; absent: as old as it likes. */
  maxAge?: string | undefined;
}

export function planSession(session: Stored<Session>, now: Date, { look = 'glance', maxAge }: How = {}): Plan {
  if (session.metadata.deletionTimestamp) return NOTHING;
  const refusal = notAPerson(session.spec.requester);
  if (refusal) return { ...NOTHING, refusal };
  const actor = session.spec.requester;
  if (!actor) return NOTHING;
  if (isPastRetention(session, now)) return { ...NOTHING, actor, remove: [removal(session)] };
  const toward = (zero: AtZero | undefined): Plan => {
    const going: Going = { session, now, zero };
    return byAge(
      { ...going, maxAge },
      { young: full(going, look), atAGlance: () => full(going, 'glance'), toZero: () => toZero(going) },
    );
  };
  const zero = atZero(session, now);
  if (zero !== 'Idle') return toward(zero);
  const reading = unlessAnswered(session, now, (isAnswered) => toward(isAnswered ? undefined : zero));
  return { ...toward(zero), ...(reading && { reading }) };
}

interface Going {
  session: Stored<Session>;
  now: Date;
  /** Why its workload is to be at zero; absent: it is to be at one. */
  zero: AtZero | undefined;
}

const announce = ({ session, now }: Going): Plan => ({ ...NOTHING, report: announcement(session, now), again: true });

function full(going: Going, look: Look): Plan {
  const { session, now, zero } = going;
  if (mustAnnounce(session, zero)) return announce(going);
  const told = reportOf(session, tellings(session, zero), now);
  return { ...actorOf(session), remove: [], ensure: due(session, zero, look), ...told };
}

/**
 * Of a spec whose objects are not made yet, only that the workload goes. Whether they are made stays as it was told, for
 * that has not changed; `undefined` where no workload was ever told of.
 */
function toZero(going: Going): Plan | undefined {
  const { session, now, zero } = going;
  const kept = findCondition(session, CONDITION.materialised);
  if (!findCondition(session, CONDITION.suspended)) return undefined;
  if (isAtOne(session)) return announce(going);
  const [workload] = due(session, zero, 'closely').filter(({ type }) => type === DEPLOYMENTS);
  const others = tellings(session, zero).filter(({ type }) => type !== CONDITION.materialised);
  const ensure = workload && !isAtZero(session) ? [{ ...workload, known: true }] : [];
  return { ...actorOf(session), remove: [], ensure, ...reportOf(session, [...(kept ? [kept] : []), ...others], now) };
}

const actorOf = ({ spec: { requester } }: Session) => (requester ? { actor: requester } : {});

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

const removal = ({ metadata: { name, namespace, uid } }: Stored<Session>) => ({
  type: SESSIONS,
  ref: { name, ...(namespace && { namespace }) },
  precondition: { uid },
});

const RETRIED = '; it is tried again for a while, and then with `tiny touch`';

const ROOM =
  '; `tiny ls` shows whose Sessions the project has, `tiny suspend` and `tiny rm` make room, and whoever looks after the project raises the quota; then `tiny touch`';

/** The refusal in the words that a person can act on. */
function wordsOf({ spec: { requester } }: Session, { reason, message, passes }: Refusal): string {
  if (passes) return message + RETRIED;
  if (reason === 'QuotaExceeded') return message + ROOM;
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

/** Reconciles Sessions whose stamp is no older than `maxAge`, or than their project's settings say; absent: of whatever age. */
export const sessionsWithin = (maxAge: string | undefined): Reconciler<Session> => ({
  type: SESSIONS,
  final: false,
  plan: (session, now, look) => planSession(session, now, { look, maxAge }),
  refused,
});

/** Reconciles Sessions. */
export const sessions: Reconciler<Session> = sessionsWithin(DEFAULT_MAX_AGE);
