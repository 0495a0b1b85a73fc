/**
 * One pass of the sweep: looks at everything by pages, and gives each thing that is out of step to the function whose
 * it is, with the same call that an event makes. The sweep itself acts for nobody: it can impersonate no one, and writes
 * nothing but the condition that says what a Session hangs on.
 */
import type { V1Pod } from '@kubernetes/client-node';
import { isTrue } from '../api/conditions.ts';
import type { KubeObject, Stored } from '../api/meta.ts';
import { LABEL } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import type { Session } from '../api/session.ts';
import type { Subject } from '../event/receive.ts';
import { each } from '../kube/each.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import { type Client, PODS, QUESTIONS, type ResourceType, SESSIONS } from '../kube/types.ts';
import type { Reconciler } from '../plan.ts';
import { CONDITION as SESSION_CONDITION } from '../session/status.ts';
import { explained } from './explained.ts';
import { fairly } from './fair.ts';
import { joined } from './join.ts';
import { CHILDREN, type Children, sessionOutOfStep } from './out-of-step.ts';
import { type PodTrouble, podProblem } from './pod-problem.ts';
import { questionOutOfStep } from './question-out-of-step.ts';
import { problemOf, stuckCondition } from './stuck.ts';

export interface SweepOptions {
  client: Client;
  /** As the functions have them. */
  sessions: Reconciler<Session>;
  questions: Reconciler<Question>;
  now: () => Date;
  /** Has the function of that kind look at it; resolves to whether it took it. */
  hint: (subject: Subject & { look: 'closely' }) => Promise<boolean>;
  /** The most that one pass sets right. */
  most: number;
  /** How many at a time. */
  atOnce: number;
  /** Ends the pass; what is not done is left to the next one. */
  signal: AbortSignal;
  log: (about: Subject & { why: string }) => void;
}

/** What a pass came to, in numbers. */
export interface Tally {
  sessions: number;
  questions: number;
  outOfStep: number;
  hinted: number;
  /** Hints that the function did not take. */
  failed: number;
  /** Sessions whose condition Stuck changed. */
  told: number;
}

/** All that is ours, and no other's, is labelled so. */
const OURS = 'app.kubernetes.io/managed-by=tiny';
/** A Session holds its prompt, of up to a quarter of a megabyte. */
const SESSIONS_A_PAGE = 200;

interface Found extends Subject {
  why: string;
}
type ByProject = Map<string, Found[]>;

/** Throws where the API server can't be read; what was found by then is lost, and the next pass finds it. */
export async function sweep(options: SweepOptions): Promise<Tally> {
  const tally: Tally = { sessions: 0, questions: 0, outOfStep: 0, hinted: 0, failed: 0, told: 0 };
  const found: ByProject = new Map();
  const finished = await lookAtSessions(options, tally, found);
  await lookAtQuestions({ ...options, finished }, tally, found);
  await setRight(options, tally, found);
  return tally;
}

function note(found: ByProject, one: Found): void {
  const list = found.get(one.namespace) ?? [];
  list.push(one);
  found.set(one.namespace, list);
}

const subjectOf = ({ kind, metadata: { namespace = '', name } }: KubeObject): Subject => ({ kind, namespace, name });

/** The UIDs of those that have finished. */
async function lookAtSessions(options: SweepOptions, tally: Tally, found: ByProject): Promise<Set<string>> {
  const { client, now } = options;
  const pods = await problemsOfPods(options);
  const finished = new Set<string>();
  const ours = <T extends KubeObject>(type: ResourceType<T>) => each(client, type, { labelSelector: OURS });
  const sessions = each(client, SESSIONS, { pageSize: SESSIONS_A_PAGE });
  for await (const { parent: session, children } of joined(sessions, CHILDREN.map(ours))) {
    options.signal.throwIfAborted();
    tally.sessions += 1;
    if (isTrue(session, SESSION_CONDITION.finished)) finished.add(session.metadata.uid);
    const why = sessionOutOfStep(options.sessions, { session, children }, now());
    if (why) note(found, { ...subjectOf(session), why });
    if (await tellStuck(options, session, { children, pod: pods.get(session.metadata.uid) })) tally.told += 1;
  }
  return finished;
}

async function problemsOfPods({ client, now }: SweepOptions): Promise<Map<string, PodTrouble>> {
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
  pod: PodTrouble | undefined;
}

async function tellStuck(options: SweepOptions, session: Stored<Session>, { children, pod }: Around): Promise<boolean> {
  const { client, now } = options;
  const seen = problemOf(session, { children, pod: pod?.problem });
  const problem = seen && pod && seen === pod.problem ? await explained(client, pod) : seen;
  const condition = stuckCondition(session, problem, now());
  if (!condition) return false;
  const { name, namespace, uid, resourceVersion } = session.metadata;
  const { apiVersion, kind } = session;
  const metadata = { name, uid, resourceVersion, ...(namespace && { namespace }) };
  try {
    await client.applyStatus(SESSIONS, { apiVersion, kind, metadata, status: { conditions: [condition] } });
    return true;
  } catch (error) {
    // It changed or went meanwhile: the next pass looks again.
    if (isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
}

async function lookAtQuestions(
  { client, now, signal, questions, finished }: SweepOptions & { finished: ReadonlySet<string> },
  tally: Tally,
  found: ByProject,
): Promise<void> {
  for await (const question of each(client, QUESTIONS)) {
    signal.throwIfAborted();
    tally.questions += 1;
    const why = questionOutOfStep(questions, question, { now: now(), finished });
    if (why) note(found, { ...subjectOf(question), why });
  }
}

/** A pass every so many minutes: what one left is where the next begins. */
const TURN_MS = 60_000;

async function setRight(options: SweepOptions, tally: Tally, found: ByProject): Promise<void> {
  const lists = [...found.values()];
  tally.outOfStep = lists.reduce((sum, list) => sum + list.length, 0);
  const turn = Math.floor(options.now().getTime() / TURN_MS);
  const queue = fairly(lists, { most: options.most, turn }).values();
  const worker = async () => {
    for (const one of queue) tally[(await handOver(options, one)) ? 'hinted' : 'failed'] += 1;
  };
  await Promise.all(Array.from({ length: options.atOnce }, worker));
}

/** Once the time is over, what is left counts as not taken. */
async function handOver({ hint, log, signal }: SweepOptions, { why, ...subject }: Found): Promise<boolean> {
  if (signal.aborted) return false;
  log({ ...subject, why });
  return await hint({ ...subject, look: 'closely' });
}
