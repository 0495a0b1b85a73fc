/**
 * One turn: the agent is started if it isn't running, the prompt is written into the journal and handed over, and
 * the end of the turn is written down. A turn that a kill or the agent's death interrupts stays open in the journal.
 */
import { newsFor } from './absence.ts';
import { AgentError } from './agent-process.ts';
import { useOf } from './budget-asking.ts';
import { giveUp, type HarnessOptions, type Live } from './context.ts';
import type { Conversation } from './conversation.ts';
import { writeDown } from './disk.ts';
import { progressOf, type Source } from './journal.ts';
import { MAX_STARTS } from './next.ts';
import { breakOff, untilOver } from './pause.ts';
import { hasHeard, promptBlocks } from './prompt.ts';
import { LONGEST_SLEEP_MS, untilStalled } from './stall.ts';
import { working } from './telling.ts';
import type { StatusPatch } from './tools-client.ts';
import { noteEnding, type TurnOutcome } from './turn-end.ts';

export interface Turn {
  do: 'prompt' | 'resume';
  turn: number;
  from: Source;
  attempt?: number;
}

/** How long an agent whose turn is cancelled may take to end it. */
const CANCEL_MS = 5000;
const LONGEST_PAUSE_MS = 10_000;
/** Before a turn is resumed that was interrupted; what interrupts it need not be the agent's fault, and the number of times is bounded. */
const RESUME_PAUSE_MS = 1000;

/** Takes the turn to its end, to the agent's death, or to the deadline. */
export async function takeTurn(turn: Turn, options: HarnessOptions, live: Live): Promise<void> {
  const { clock, stop, journal, reporter, pulse } = options;
  const starts = (progressOf(journal.records).unstarted?.tries ?? 0) + 1;
  const pause = Math.max(pauseFor(turn.attempt ?? 0, RESUME_PAUSE_MS), pauseFor(starts, LONGEST_PAUSE_MS));
  if (pause > 0) await clock.sleep(pause, stop);
  const conversation = await haveConversation(options, live);
  if (!conversation) return;
  const news = turn.do === 'resume' ? await newsFor(options, live) : [];
  const blocks = blocksFor(turn, { conversation, options, live, news });
  stop.throwIfAborted();
  await writeDown(options, { type: 'prompt', turn: turn.turn, from: turn.from });
  reporter.tell({ ...beginning(turn), ...useOf(journal, live.session) });
  const said = pulse.count();
  const end = await untilEnd({ turn, conversation, blocks, live }, options);
  // What a turn has done before a kill, it has done.
  const isSilent = turn.do === 'prompt' && pulse.count() === said;
  await noteEnding(end, { turn: turn.turn, conversation, options, isSilent });
}

const pauseFor = (tries: number, longest: number): number => (tries > 1 ? Math.min(longest, 125 * 2 ** tries) : 0);

async function haveConversation(options: HarnessOptions, live: Live): Promise<Conversation | undefined> {
  if (live.conversation?.alive) return live.conversation;
  await live.conversation?.end();
  delete live.conversation;
  const { agentSession: before, unstarted } = progressOf(options.journal.records);
  // A conversation that kills its agent as often as it is loaded is given up before the Session is.
  const isLast = unstarted?.tries === MAX_STARTS - 1;
  try {
    live.conversation = await options.converse(isLast ? undefined : before);
  } catch (error) {
    return noteUnstarted(error, options);
  }
  if (live.conversation.id !== before) await writeDown(options, { type: 'session', id: live.conversation.id });
  return live.conversation;
}

async function noteUnstarted(error: unknown, options: HarnessOptions): Promise<undefined> {
  options.stop.throwIfAborted();
  if (!(error instanceof AgentError)) throw error;
  options.log(error.message);
  if (error.passes) await writeDown(options, { type: 'unstarted', why: error.message });
  else await giveUp(options, error.message);
}

interface Handing {
  conversation: Conversation;
  options: HarnessOptions;
  live: Live;
  /** What happened while the agent was away. */
  news: string[];
}

function blocksFor(turn: Turn, { conversation, options, live, news }: Handing): string[] {
  const { task, journal } = options;
  const text = turn.from === 'prompt' ? task : (live.session?.spec.messages?.[turn.from]?.text ?? '');
  const { turns, imported } = progressOf(journal.records);
  const running = live.conversation === conversation && spoken.has(conversation);
  spoken.add(conversation);
  return promptBlocks({
    task,
    from: turn.from,
    text,
    resumed: turn.do === 'resume',
    conversation: conversation.loaded || running ? 'loaded' : 'new',
    heard: hasHeard(conversation.heard(), text),
    isFirst: turns === 0 && !imported,
    news,
  });
}

/** Conversations that have had a prompt from this process: they know what was said. */
const spoken = new WeakSet<Conversation>();

const beginning = ({ turn, from }: Turn): StatusPatch => ({
  ...working(
    from === 'prompt' ? 'the agent works on the prompt' : `the agent works on message ${from + 1} (turn ${turn})`,
  ),
  ...(from !== 'prompt' && { messagesRead: from + 1 }),
});

interface Handed {
  turn: Turn;
  conversation: Conversation;
  blocks: string[];
  live: Live;
}

/** The end of the turn; at the deadline or a stop the agent is told to cancel and the turn stays open. */
async function untilEnd({ turn, conversation, blocks, live }: Handed, options: HarnessOptions): Promise<TurnOutcome> {
  const { config, clock, stop } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, stop]);
  const end = conversation.prompt(blocks);
  const deadline = until(config.deadlineAt, { clock, signal });
  try {
    const first = await Promise.race([end, deadline, untilStalled(options, signal), untilOver(options, live, signal)]);
    if (typeof first === 'object') return first;
    if (first === 'budget') return await breakOff({ turn: turn.turn, conversation, end }, options, signal);
    await conversation.cancel();
    await Promise.race([end, clock.sleep(CANCEL_MS, signal)]);
    return first;
  } finally {
    over.abort();
  }
}

/** Resolves at the deadline; rejects when `signal` aborts. */
async function until(
  deadline: string | undefined,
  { clock, signal }: { clock: HarnessOptions['clock']; signal: AbortSignal },
) {
  const at = deadline === undefined ? Number.POSITIVE_INFINITY : Date.parse(deadline);
  while (clock.now() < at) await clock.sleep(Math.min(LONGEST_SLEEP_MS, at - clock.now()), signal);
  return 'deadline' as const;
}
