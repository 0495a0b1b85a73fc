/**
 * How a turn ended, written down: in good order, in bad, or not at all. What an agent calls a good end is looked at, since
 * one that did nothing, or has nothing but an error to say, has not done its work.
 */
import { cut } from '../cut.ts';
import { failureWords } from './agent-words.ts';
import { useOf } from './budget-asking.ts';
import type { HarnessOptions } from './context.ts';
import type { Conversation, TurnEnd } from './conversation.ts';
import { writeDown } from './disk.ts';
import { progressOf } from './journal.ts';
import { stallWords } from './stall.ts';
import { stalled } from './telling.ts';

/** How the agent ended its turn, or why it was not waited for. */
export type TurnOutcome = TurnEnd | 'deadline' | 'stalled' | 'paused';

export interface Ending {
  turn: number;
  conversation: Conversation;
  options: HarnessOptions;
  /** Whether the agent has told nothing of what it said or did. */
  isSilent: boolean;
}

/** Writes down what is to be remembered of the end. */
export async function noteEnding(end: TurnOutcome, ending: Ending): Promise<void> {
  if (end === 'deadline' || end === 'paused') return;
  if (end === 'stalled') return noteStall(ending);
  if (end.ended) return noteEnd({ ...end, ...faultOf(end, ending.isSilent) }, ending);
  ending.options.log(`${end.why}; the turn goes on with a new process`);
  await writeDown(ending.options, { type: 'lost', turn: ending.turn, why: cut(end.why, 2000) });
}

/** The agent hangs: it is ended, and the turn stays open. */
async function noteStall({ turn, conversation, options }: Ending): Promise<void> {
  const { journal, reporter, config, log } = options;
  await writeDown(options, { type: 'stalled', turn });
  const words = stallWords(config.idle.stalledAfter, progressOf(journal.records).open?.stalls ?? 1);
  log(words);
  reporter.tell(stalled(words));
  await conversation.end();
}

type Ended = Extract<TurnEnd, { ended: true }>;

/** As agents end a turn in good order whose last words are an error of the model's server and nothing else. */
const ERROR_AS_WORDS =
  /^\s*(API Error\b|Failed to authenticate\b|Invalid API key\b|Credit balance is too low\b|Not logged in\b|Please run \/login)/i;
/** An answer that is longer talks about an error. */
const LONGEST_ERROR = 1000;

const isErrorInWords = (summary: string): boolean => summary.length < LONGEST_ERROR && ERROR_AS_WORDS.test(summary);

const isBroken = (end: Ended): boolean => 'isBroken' in end && end.isBroken === true;

/** What else is no good end, and is no success. */
const CUT_SHORT: Record<string, string> = {
  cancelled:
    'the agent broke off its turn by itself, as agents do when they are denied what they ask for; send a message to go on',
  max_tokens: 'the agent reached the limit of its model in the middle of its turn; send a message to go on',
  max_turn_requests: 'the agent reached its own limit of requests in one turn; send a message to go on',
};

/** What is wrong with a turn that ended. */
export function faultOf(end: Ended, isSilent: boolean): { error?: string } {
  const { stopReason } = end;
  if (stopReason === 'refusal')
    return { error: 'the agent refused to go on; see its last words in status.result.summary' };
  const cutShort = CUT_SHORT[stopReason];
  if (cutShort !== undefined) return { error: cutShort };
  return stopReason === 'end_turn' ? faultOfDone(end, isSilent) : {};
}

function faultOfDone(end: Ended, isSilent: boolean): { error?: string } {
  const words = end.summary.trim();
  if (isBroken(end)) return { error: failureWords(words || 'it says that its system failed, and no more') };
  if (isErrorInWords(words)) return { error: failureWords(words) };
  return isSilent && words === ''
    ? { error: 'the agent ended its turn without having said or done anything; see the log of the pod' }
    : {};
}

async function noteEnd(end: Ended, { turn, conversation, options }: Ending): Promise<void> {
  const { journal, reporter, clock, meter } = options;
  const { ended: _ended, isBroken: _isBroken, ...told } = { isBroken: false, ...end };
  const cost = meter.read();
  await writeDown(options, { type: 'ended', turn, at: clock.now(), ...told, ...(cost && { cost }) });
  reporter.note({ agentSessionId: cut(conversation.id, 256), ...useOf(journal, undefined) });
}
