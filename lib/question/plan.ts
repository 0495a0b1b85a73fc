/**
 * What an answer makes happen. Answering is acting: a Spawn is made with the answerer's rights, and whether they
 * have them is the API server's to say. A refusal is final, because a yes that waits for rights would act by
 * surprise on the day they are given; the agent can ask anew.
 */
import { alreadySays, findCondition, type Telling, transition } from '../api/conditions.ts';
import type { Person, Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import type { Session } from '../api/session.ts';
import { mastersHint, notAPerson } from '../identity/person.ts';
import { QUESTIONS, SESSIONS } from '../kube/types.ts';
import { type Ensure, NOTHING, type Plan, type Reading, type Reconciler, type Refusal, type Report } from '../plan.ts';
import { DEFAULT_MAX_AGE } from '../session/stamp-age.ts';
import { wake } from '../session/wake.ts';
import { named } from './apply-manifest.ts';
import { type Decision, decide } from './decision.ts';
import { isChild, makeChild } from './make-child.ts';
import { unlessTooOld } from './old-answer.ts';
import { CONDITION, DEED_MESSAGE, type Deed } from './status.ts';

/** `maxAge`: how old an answer may be where the project's settings say nothing; absent: as old as it likes. */
export function planQuestion(question: Stored<Question>, now: Date, maxAge?: string): Plan {
  if (question.metadata.deletionTimestamp || findCondition(question, CONDITION.acted)) return NOTHING;
  const decision = decide(question, now);
  if (decision.state === 'open') return NOTHING;
  const act = decision.state === 'answered' && decision.allowed ? ACTS[question.spec.kind] : undefined;
  if (!act) return heard(question, decided(question, decision, now), now);
  const plan = act(question, decision.state === 'answered' ? decision.by : undefined, now);
  return heard(question, unlessTooOld(question, plan, { now, maxAge }), now);
}

function decided(question: Stored<Question>, decision: Exclude<Decision, { state: 'open' }>, now: Date): Plan {
  return decision.state === 'expired' ? { ...NOTHING, refusal: expired(question) } : tell(question, decision, now);
}

/** The plan, of which the Session that asked hears, whatever is read before. */
function heard(question: Stored<Question>, { reading, ...plan }: Plan, now: Date): Plan {
  const later = reading && {
    ...reading,
    plan: (...found: Parameters<Reading['plan']>) => heard(question, reading.plan(...found), now),
  };
  return { ...plan, ...(later && { reading: later }), tidings: tidings(question, now) };
}

/** The Session that asked may sleep until there is an answer. */
const tidings = ({ metadata, spec }: Stored<Question>, now: Date): Plan['tidings'] => ({
  type: SESSIONS,
  ref: { name: spec.session, namespace: metadata.namespace },
  say: (session) => wake(session as Stored<Session>, metadata.name, now),
});

const expired = ({ spec }: Question): Refusal => ({
  reason: 'Expired',
  message: spec.answer
    ? `the answer came after ${spec.expiresAt}, when the question had expired; nothing was done`
    : `nobody answered before ${spec.expiresAt}; nothing was done`,
  passes: false,
});

function spawn(question: Stored<Question>, by: Person | undefined, now: Date): Plan {
  const refusal = notAPerson(by, 'Question');
  const object = by && makeChild(question, by);
  if (refusal || !object) return { ...NOTHING, refusal };
  const child: Ensure = { type: SESSIONS, object, known: false, mine: isChild(object), mode: 'create' };
  const { name } = object.metadata;
  const report = answered(question, { deed: 'Spawned', message: `${by.username} made Session "${name}"` }, now);
  return { actor: by, ensure: [child], remove: [], report: { ...report, child: name } };
}

function apply(question: Stored<Question>, by: Person | undefined, now: Date): Plan {
  const { apply: proposal, answer } = question.spec;
  const { namespace = '' } = question.metadata;
  const refusal = notAPerson(by, 'Question');
  if (refusal || !by || !proposal) return { ...NOTHING, refusal };
  const message = `${by.username} applied ${proposal.objects.map(named).join(', ')}`;
  return {
    ...NOTHING,
    actor: by,
    apply: { namespace, proposal, ...(answer?.shown && { shown: answer.shown }) },
    report: answered(question, { deed: 'Applied', message }, now),
  };
}

/** The kinds whose yes the function acts on; of the others the agent is told. */
const ACTS: { [kind in Question['spec']['kind']]?: typeof spawn } = { Spawn: spawn, Apply: apply };

function tell(question: Stored<Question>, { allowed }: Extract<Decision, { state: 'answered' }>, now: Date): Plan {
  const deed = question.spec.kind === 'Ask' ? 'Told' : allowed ? 'Permitted' : 'Denied';
  return { ...NOTHING, report: answered(question, { deed, message: DEED_MESSAGE[deed] }, now) };
}

function answered(question: Stored<Question>, { deed, message }: { deed: Deed; message: string }, now: Date): Report {
  const by = question.spec.answer?.by?.username ?? 'someone';
  return report(
    question,
    [
      { type: CONDITION.answered, status: 'True', reason: 'Answered', message: `answered by ${by}` },
      { type: CONDITION.acted, status: 'True', reason: deed, message },
    ],
    now,
  );
}

function report(question: Stored<Question>, tellings: Telling[], now: Date): Report {
  const observedGeneration = question.metadata.generation;
  return { conditions: tellings.map((telling) => transition(question, { ...telling, observedGeneration }, now)) };
}

function hint(reason: string, by: Person | undefined): string {
  if (reason === 'QuotaExceeded')
    return '; `tiny ls` shows whose Sessions the project has, finished ones count, too, and `tiny rm` makes room; then the agent may ask again';
  return reason === 'Forbidden' && by ? mastersHint(by) : '';
}

/** A refusal is told to the agent, which waits for Acted, and to people. */
function refused(question: Stored<Question>, { reason, message }: Refusal, now: Date): Report | undefined {
  const by = question.spec.answer?.by;
  const words = message + hint(reason, by);
  const inTime: Telling =
    reason === 'Expired'
      ? { type: CONDITION.answered, status: 'False', reason, message: words }
      : {
          type: CONDITION.answered,
          status: 'True',
          reason: 'Answered',
          message: `answered by ${by?.username ?? 'someone'}`,
        };
  const told = report(question, [inTime, { type: CONDITION.acted, status: 'False', reason, message: words }], now);
  return told.conditions.every((condition) => alreadySays(question, condition)) ? undefined : told;
}

/** Reconciles Questions whose answer is no older than `maxAge`, or than their project's settings say; absent: of whatever age. */
export const questionsWithin = (maxAge: string | undefined): Reconciler<Question> => ({
  type: QUESTIONS,
  final: true,
  plan: (question, now) => planQuestion(question, now, maxAge),
  refused,
});

/** Reconciles Questions. */
export const questions: Reconciler<Question> = questionsWithin(DEFAULT_MAX_AGE);
