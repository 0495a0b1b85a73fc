/**
 * The one loop that all functions run, and the command line where no functions are: observe, plan, act, report.
 * The only place where effects are ordered. An event says which object to look at, and nothing more: so running
 * it twice, late or in another order comes to the same.
 */
import type { KubeObject, Stored } from './api/meta.ts';
import { ensure, remove } from './ensure.ts';
import type { Look } from './event/receive.ts';
import { ImpersonationRefused } from './identity/impersonation-headers.ts';
import { isConflict, isNotFound } from './kube/errors.ts';
import type { Client, Ref } from './kube/types.ts';
import { versionOf } from './kube/version.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Plan, Reconciler, Refusal, Report, Tidings } from './plan.ts';
import { applyProposal } from './question/apply-act.ts';

export interface ReconcileOptions {
  /** Reads and reports as the caller; acts as the person of the plan. */
  client: Client;
  now: () => Date;
  /** Default: a glance. */
  look?: Look | undefined;
  /** How to act as a person. Default: by impersonation. */
  actAs?: (person: NonNullable<Plan['actor']>) => Client;
}

/** How often a report that met a newer version of the object is begun anew, before the event is sent back. */
const ATTEMPTS = 4;

/** Brings the object named by `ref` in line with what it asks for. Never throws. */
export async function reconcile<T extends KubeObject>(
  reconciler: Reconciler<T>,
  ref: Ref,
  options: ReconcileOptions,
): Promise<Outcome> {
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const outcome = await once(reconciler, ref, options);
      if (outcome) return outcome;
    }
    return {
      kind: 'conflict',
      message: `${reconciler.type.kind} "${ref.name}" changes faster than it can be reported on`,
    };
  } catch (error) {
    return outcomeOf(error);
  }
}

/** One pass; `undefined` where another is due: the object changed meanwhile, or the plan said so. */
async function once<T extends KubeObject>(
  reconciler: Reconciler<T>,
  ref: Ref,
  options: ReconcileOptions,
): Promise<Outcome | undefined> {
  const object = await options.client.get(reconciler.type, ref);
  if (!object) return { kind: 'done', message: 'gone' };
  const now = options.now();
  const plan = await wellRead(options.client, reconciler.plan(object, now, options.look));
  const refusal = plan.refusal ?? (await act(plan, options));
  const report = refusal ? reconciler.refused(object, refusal, now) : plan.report;
  const settled =
    (await heard(options.client, plan.tidings)) &&
    (await told(options.client, { object, report, type: reconciler.type }));
  if (!settled || plan.again) return undefined;
  return refusal ? refusedOutcome(refusal, reconciler.final) : { kind: 'done', message: summary(plan) };
}

/** The plan once all that it depends on was read. */
async function wellRead(client: Client, plan: Plan): Promise<Plan> {
  if (!plan.reading) return plan;
  const { type, refs, plan: planned } = plan.reading;
  return wellRead(client, planned(await Promise.all(refs.map((ref) => client.get(type, ref)))));
}

async function act(plan: Plan, { client: own, actAs: as = own.as }: ReconcileOptions): Promise<Refusal | undefined> {
  if (!plan.actor) return undefined;
  try {
    const person = as(plan.actor);
    const refusal = await actAs(person, plan);
    return refusal ?? (plan.apply && (await applyProposal(plan.apply, { own, person })));
  } catch (error) {
    if (error instanceof ImpersonationRefused)
      return { reason: 'RequesterNotAPerson', message: error.message, passes: false };
    throw error;
  }
}

async function actAs(asPerson: Client, plan: Plan): Promise<Refusal | undefined> {
  for (const child of plan.ensure) {
    const refusal = await ensure(asPerson, child);
    if (refusal) return refusal;
  }
  for (const gone of plan.remove) {
    const refusal = await remove(asPerson, gone);
    if (refusal) return refusal;
  }
  return undefined;
}

/** False where the other object has changed meanwhile. One that is gone needs no tidings. */
async function heard(client: Client, tidings: Tidings | undefined): Promise<boolean> {
  if (!tidings) return true;
  const { type, ref, say } = tidings;
  const object = await client.get(type, ref);
  return !object || told(client, { type, object, report: say(object) });
}

interface Telling<T extends KubeObject> {
  type: Reconciler<T>['type'];
  object: Stored<T>;
  report: Report | undefined;
}

/** Writes the report on exactly the object that was read; false where it has changed. A deleted one needs no report. */
async function told<T extends KubeObject>(client: Client, { type, object, report }: Telling<T>): Promise<boolean> {
  if (!report) return true;
  try {
    await client.applyStatus(type, { ...versionOf(object), status: report });
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (isConflict(error)) return false;
    throw error;
  }
}

const refusedOutcome = ({ reason, message, passes }: Refusal, final: boolean): Outcome => ({
  kind: passes && !final ? 'conflict' : 'refused',
  message: `${reason}: ${message}`,
});

const summary = ({ ensure: made, remove: removals, report }: Plan): string =>
  made.length + removals.length === 0 && !report
    ? 'nothing to do'
    : [...made.map(({ type }) => type.kind), ...removals.map(() => 'removal')].join(', ') || 'reported';
