/**
 * What a reconciliation decides, as a value: who acts, what must exist, what must go, what is told. A plan does
 * nothing; `reconcile` carries it out, a dry run prints it.
 */
import type { Condition, KubeObject, Person, Stored } from './api/meta.ts';
import type { Proposal } from './api/question-parts.ts';
import type { Look } from './event/receive.ts';
import type { Precondition, Ref, ResourceType } from './kube/types.ts';

/** One object that must exist. */
export interface Ensure {
  type: ResourceType;
  object: KubeObject;
  /** Whether an earlier run is known to have made it; then it is read first instead of created. */
  known: boolean;
  /** Whether an object of that name that is there already is the one meant. Absent: the name is proof enough. */
  mine?: (live: Stored<KubeObject>) => boolean;
  /** What somebody has put into it that an apply would leave there, in words; `undefined`: nothing. */
  foreign?: (live: Stored<KubeObject>) => string | undefined;
  /** `apply` brings what exists into line; `create` leaves it as it is. */
  mode: 'apply' | 'create';
}

export interface Remove {
  type: ResourceType;
  ref: Ref;
  precondition: Precondition;
}

/** Why something can't be done right, in one word for a condition and in words for a person. */
export interface Refusal {
  reason: string;
  message: string;
  /** Whether it passes by itself, so that the event is worth delivering again. */
  passes: boolean;
}

/** Part of an object's status, applied server-side. */
export interface Report {
  conditions: Condition[];
  [field: string]: unknown;
}

/**
 * Another object that hears of it: read by the caller itself when all is done, and told what `say` returns. It comes
 * before the report, so that a run that was killed in between is begun again.
 */
export interface Tidings<T extends KubeObject = KubeObject> {
  type: ResourceType<T>;
  ref: Ref;
  say: (object: Stored<T>) => Report | undefined;
}

/** Objects that a person has said yes to, applied if that changes what they were shown. */
export interface Applying {
  /** The project, whose settings say what may be applied. */
  namespace: string;
  proposal: Proposal;
  /** What each object was shown to change, as a digest; absent where only the objects were shown. */
  shown?: readonly string[];
}

/**
 * Other objects on which it depends. The caller reads them before anything is done, and goes on with what `plan` makes of
 * them in place of the plan that the reading stands in; that one holds as long as nobody has looked.
 */
export interface Reading {
  type: ResourceType;
  refs: Ref[];
  plan: (found: readonly (Stored<KubeObject> | undefined)[]) => Plan;
}

/** What to do about one object. An empty plan means that all is as it should be. */
export interface Plan {
  /** What is to be read first. */
  reading?: Reading;
  /** With whose rights `ensure` and `remove` are done. */
  actor?: Person;
  ensure: Ensure[];
  remove: Remove[];
  /** Done last. */
  apply?: Applying;
  /** What is left undone unless it is missing, which a plan can't see: then it is told so. */
  withheld?: { ensure: Ensure[]; refusal: Refusal };
  /** What can't be done at all, decided before anything is tried. */
  refusal?: Refusal;
  /** What is told when all of it was done. */
  report?: Report;
  /** Whether the object is to be read and planned for anew once the report is written. */
  again?: boolean;
  /** Who else hears of it, whether it was done or refused. */
  tidings?: Tidings;
}

export const NOTHING: Plan = { ensure: [], remove: [] };

/** How one kind of object is reconciled: all of it pure. */
export interface Reconciler<T extends KubeObject> {
  type: ResourceType<T>;
  /** Whether a refusal stands for good, even one that would pass by itself. */
  final: boolean;
  plan(object: Stored<T>, now: Date, look?: Look): Plan;
  /** What is told when `refusal` stood in the way; `undefined` where it has been told already. */
  refused(object: Stored<T>, refusal: Refusal, now: Date): Report | undefined;
}
