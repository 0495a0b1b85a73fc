/**
 * Makes entries of an agent's stream: pieces of a message become one entry, or one a second while it is spoken, and a
 * tool call two, its start and its end.
 */
import type * as acp from '@agentclientprotocol/sdk';
import type { Draft, TranscriptUsage } from '../../lib/api/transcript.ts';
import { cut } from '../cut.ts';
import { makeRedactor, type Redact } from '../redact.ts';
import { type Calls, makeCalls } from './calls.ts';
import { makeSpeech, type Speech } from './speech.ts';

export interface Coalescer {
  take(update: acp.SessionUpdate): void;
  /** Tells what is held back: a message goes on after it. */
  flush(): void;
  /** Tells what is held back; the message and the turn's calls are over. */
  end(): void;
  /** Whether something is held back. */
  readonly isHolding: boolean;
  /** What the agent last said of its use of the model, once. */
  takeUsage(): TranscriptUsage | undefined;
}

const MOST_STEPS = 100;

/** A coalescer that hands entries to `tell`, without the values of `secrets`. */
export function makeCoalescer(tell: (draft: Draft) => void, secrets: readonly string[]): Coalescer {
  const redact = makeRedactor(secrets);
  const speech = makeSpeech(tell, secrets);
  const calls = makeCalls(tell, redact);
  const plan = makePlan(tell, redact);
  let usage: TranscriptUsage | undefined;
  const note = (update: acp.UsageUpdate) => {
    usage = usageOf(update);
  };
  return {
    get isHolding() {
      return speech.isHolding || calls.isHolding;
    },
    take: (update) => dispatch(update, { speech, calls, plan, note }),
    flush() {
      speech.flush();
      calls.flush();
    },
    end() {
      speech.end();
      calls.end();
    },
    takeUsage() {
      const last = usage;
      usage = undefined;
      return last;
    },
  };
}

interface Parts {
  speech: Speech;
  calls: Calls;
  plan: (update: acp.Plan) => void;
  note: (update: acp.UsageUpdate) => void;
}

function dispatch(update: acp.SessionUpdate, { speech, calls, plan, note }: Parts): void {
  if (update.sessionUpdate === 'agent_message_chunk') speech.say('message', words(update.content));
  else if (update.sessionUpdate === 'agent_thought_chunk') speech.say('thought', words(update.content));
  else if (update.sessionUpdate === 'usage_update') note(update);
  else if (update.sessionUpdate === 'plan') {
    speech.end();
    plan(update);
  } else if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') {
    speech.end();
    calls.take(update);
  }
}

const words = (content: acp.ContentBlock): string => (content.type === 'text' ? content.text : `[${content.type}]`);

const usageOf = ({ used, size, cost }: acp.UsageUpdate): TranscriptUsage => ({
  used,
  size,
  ...(cost && { cost: { amount: cost.amount, currency: cost.currency } }),
});

/** Tells a plan where it is another than before. */
function makePlan(tell: (draft: Draft) => void, redact: Redact) {
  let told = '';
  return ({ entries }: acp.Plan) => {
    const steps = entries
      .slice(0, MOST_STEPS)
      .map(({ content, status }) => ({ text: cut(redact(content), 1024), status }));
    if (JSON.stringify(steps) === told) return;
    told = JSON.stringify(steps);
    tell({ type: 'plan', steps });
  };
}
