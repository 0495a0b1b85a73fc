/**
 * Plays a history on an API server and looks whether all is as the plan says in the end: after the last step and two
 * sweeps, with everyone's rights given back. A history that went wrong is shortened to one that still does.
 */
import { setTimeout } from 'node:timers/promises';
import { CLAIMS, DEPLOYMENTS, NETWORK_POLICIES, QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { sweep } from '../../lib/sweep/pass.ts';
import type { World } from '../contract/world.ts';
import { faultsOf, type Listed, orphans } from './faults.ts';
import { handle, Queue, questions, sessions } from './functions.ts';
import type { Step } from './history.ts';
import { act, giveRights, type Stage } from './people.ts';

const MINUTE = 60_000;

interface Play extends Stage {
  /** How far the clock of the functions is ahead, in milliseconds. */
  ahead: number;
}

const functionsOf = ({ world, queue, now }: Play) => ({ client: world.functionClient, queue, now });

async function pass(play: Play, luck: number): Promise<void> {
  await sweep({
    sessions,
    questions,
    client: play.world.admin,
    now: play.now,
    most: 1000,
    atOnce: 1,
    signal: new AbortController().signal,
    hint: async ({ kind, namespace, name }) => {
      if (namespace !== play.namespace) return true;
      const event = { kind: kind as 'Session' | 'Question', namespace, name };
      await handle(event, functionsOf(play), { luck, look: 'closely' });
      return true;
    },
    log: () => undefined,
  });
}

async function step(play: Play, one: Step): Promise<void> {
  if (one.do === 'time') play.ahead += one.minutes * MINUTE;
  else if (one.do === 'sweep') await pass(play, one.luck);
  else if (one.do === 'deliver') {
    const event = play.queue.take(one.luck);
    const death = one.killAt === undefined ? undefined : { at: one.killAt, after: one.after ?? false };
    if (event) await handle(event, functionsOf(play), { luck: one.luck, death });
  } else await act(play, one);
}

const listed = async (play: Play): Promise<Listed> => {
  const { admin } = play.world;
  const of = { namespace: play.namespace };
  const [sessions, questions, ...children] = await Promise.all([
    admin.list(SESSIONS, of),
    admin.list(QUESTIONS, of),
    ...[CLAIMS, NETWORK_POLICIES, DEPLOYMENTS].map((type) => admin.list(type, of)),
  ]);
  return { sessions: sessions.items, questions: questions.items, children: children.flatMap(({ items }) => items) };
};

const PATIENCE_MS = 10_000;

async function settled(play: Play): Promise<Listed> {
  for (const end = Date.now() + PATIENCE_MS; ; await setTimeout(20)) {
    const all = await listed(play);
    const going = [...all.sessions, ...all.children].some(({ metadata }) => metadata.deletionTimestamp);
    if ((!going && orphans(all).length === 0) || Date.now() > end) return all;
  }
}

/** What is wrong in the end; nothing where all is as it should be. Throws where a function failed. */
export async function play(world: World, namespace: string, history: readonly Step[]): Promise<string[]> {
  await world.project(namespace);
  const stage: Play = { world, namespace, queue: new Queue(), agents: new Map(), ahead: 0, now: () => new Date() };
  stage.now = () => new Date(Date.now() + stage.ahead);
  try {
    for (const one of history) await step(stage, one);
    await giveRights(stage);
    await settled(stage);
    await pass(stage, 0.5);
    await pass(stage, 0.5);
    return faultsOf(await settled(stage), stage.now());
  } finally {
    await giveRights(stage);
    await world.admin.delete(world.NAMESPACES, { name: namespace });
  }
}

/** A shorter history that still `fails`: leaves out halves, quarters, … until no single step can go. */
export async function shorten(history: readonly Step[], fails: (shorter: readonly Step[]) => Promise<boolean>) {
  let shortest = [...history];
  for (let size = Math.ceil(shortest.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < shortest.length; ) {
      const without = shortest.toSpliced(from, size);
      if (await fails(without)) shortest = without;
      else from += size;
    }
  }
  return shortest;
}
