/**
 * One pass of the sweep: looks at everything by pages, and gives each thing that is out of step to the function whose
 * it is, with the same call that an event makes. The sweep itself acts for nobody: it can impersonate no one, and writes
 * nothing but the condition that says what a Session hangs on.
 */
import { isTrue } from '../api/conditions.ts';
import type { KubeObject, Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import type { Session } from '../api/session.ts';
import { SETTINGS } from '../api/settings-ref.ts';
import type { Subject } from '../event/receive.ts';
import { each } from '../kube/each.ts';
import { type Client, CONFIG_MAPS, type ConfigMap, QUESTIONS, type ResourceType, SESSIONS } from '../kube/types.ts';
import type { Reconciler } from '../plan.ts';
import { CONDITION as SESSION_CONDITION } from '../session/status.ts';
import { fairly } from './fair.ts';
import { joined } from './join.ts';
import { CHILDREN, OURS, sessionOutOfStep } from './out-of-step.ts';
import { questionOutOfStep } from './question-out-of-step.ts';
import { problemsOfPods, tellStuck } from './tell-stuck.ts';

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
  const settings = await settingsOfProjects(options);
  const finished = await lookAtSessions({ ...options, settings }, tally, found);
  await lookAtQuestions({ ...options, settings, finished }, tally, found);
  await setRight(options, tally, found);
  return tally;
}

function note(found: ByProject, one: Found): void {
  const list = found.get(one.namespace) ?? [];
  list.push(one);
  found.set(one.namespace, list);
}

const subjectOf = ({ kind, metadata: { namespace = '', name } }: KubeObject): Subject => ({ kind, namespace, name });

/** By namespace. */
type Settings = ReadonlyMap<string, Stored<ConfigMap>>;

async function settingsOfProjects({ client }: SweepOptions): Promise<Settings> {
  const settings = new Map<string, Stored<ConfigMap>>();
  for await (const one of each(client, CONFIG_MAPS, { fieldSelector: `metadata.name=${SETTINGS}` }))
    settings.set(one.metadata.namespace ?? '', one);
  return settings;
}

type Looking = SweepOptions & { settings: Settings };

/** The UIDs of those that have finished. */
async function lookAtSessions(options: Looking, tally: Tally, found: ByProject): Promise<Set<string>> {
  const { client, now } = options;
  const pods = await problemsOfPods({ client, now });
  const finished = new Set<string>();
  const ours = <T extends KubeObject>(type: ResourceType<T>) => each(client, type, { labelSelector: OURS });
  const sessions = each(client, SESSIONS, { pageSize: SESSIONS_A_PAGE });
  for await (const { parent: session, children } of joined(sessions, CHILDREN.map(ours))) {
    options.signal.throwIfAborted();
    tally.sessions += 1;
    if (isTrue(session, SESSION_CONDITION.finished)) finished.add(session.metadata.uid);
    const among = { now: now(), settings: options.settings.get(session.metadata.namespace ?? '') };
    const { why, withheld } = sessionOutOfStep(options.sessions, { session, children }, among);
    if (why) note(found, { ...subjectOf(session), why });
    const around = { children, withheld, pod: pods.get(session.metadata.uid) };
    if (await tellStuck({ client, now }, session, around)) tally.told += 1;
  }
  return finished;
}

async function lookAtQuestions(
  { client, now, signal, questions, settings, finished }: Looking & { finished: ReadonlySet<string> },
  tally: Tally,
  found: ByProject,
): Promise<void> {
  for await (const question of each(client, QUESTIONS)) {
    signal.throwIfAborted();
    tally.questions += 1;
    const why = questionOutOfStep(questions, question, {
      now: now(),
      settings: settings.get(question.metadata.namespace ?? ''),
      finished,
    });
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
