/**
 * The harness's writer of the transcript: numbers each entry, puts it on the volume, then on standard output. When it
 * is opened, the end of what was said before comes out once more, so that the log of a pod that was started again
 * holds the conversation and not just what came since. It never stops the work: a full volume costs entries, not turns.
 */
import type * as acp from '@agentclientprotocol/sdk';
import { type Draft, TRANSCRIPT_VERSION, type TranscriptUsage } from '../../lib/api/transcript.ts';
import { cut } from '../cut.ts';
import { makeRedactor, redactDeep } from '../redact.ts';
import { makeBudget } from './budget.ts';
import { makeCoalescer } from './coalesce.ts';
import type { Store } from './store.ts';

export interface Transcript {
  /** Tells what it is given; what the agent was saying is over. */
  tell(draft: Draft): void;
  /** What the agent says. Outside of a turn it replays what was said before, which is not told again. */
  update(update: acp.SessionUpdate): void;
  /** A line for whoever runs the Session. */
  note(text: string): void;
  /** What the agent said of its use of the model in this turn. */
  usage(): TranscriptUsage | undefined;
  /** Tells all that is held back. */
  close(): void;
}

export interface TranscriptOptions {
  /** Absent where the volume can't be written. */
  store: Store | undefined;
  /** A line, without its end. */
  print: (line: string) => void;
  now: () => Date;
  /** Values that must not be told. */
  secrets: readonly string[];
}

/** A message is told at least so often while it is spoken. Milliseconds. */
const HOLD_MS = 1000;
/** How much of the earlier transcript is printed again: well below the 10 MiB that a node keeps of a log. Bytes. */
const REPLAY_BYTES = 2 * 1024 * 1024;
const MOST_NOTE = 8192;

/** Opens the transcript. */
export function openTranscript({ store, print, now, secrets }: TranscriptOptions): Transcript {
  const redact = makeRedactor(secrets);
  let seq = store?.lastSeq ?? 0;
  let isFull = false;
  const write = (said: Draft) => {
    seq += 1;
    const line = JSON.stringify({ v: TRANSCRIPT_VERSION, seq, at: now().toISOString(), ...said });
    isFull = !kept(store, seq, line);
    print(line);
  };
  const budget = makeBudget((said) => {
    const was = isFull;
    write(said);
    if (isFull && !was) write({ type: 'note', text: 'the transcript could not be written to the volume: is it full?' });
  });
  const coalescer = makeCoalescer(budget.take, secrets);
  const timer = makeTimer(() => coalescer.flush());
  let inTurn = false;
  for (const line of store?.tail(REPLAY_BYTES) ?? []) print(line);
  const tell = (said: Draft) => {
    timer.stop();
    if (said.type !== 'note') coalescer.end();
    else coalescer.flush();
    if (said.type === 'prompt') inTurn = true;
    if (said.type === 'ended') inTurn = false;
    budget.take(redactDeep(said, redact));
  };
  return {
    tell,
    update(update) {
      if (!inTurn) return;
      coalescer.take(update);
      if (coalescer.isHolding) timer.start();
    },
    note: (text) => tell({ type: 'note', text: cut(text, MOST_NOTE) }),
    usage: coalescer.takeUsage,
    close() {
      timer.stop();
      coalescer.end();
    },
  };
}

/** Whether the line is on the volume. */
function kept(store: Store | undefined, seq: number, line: string): boolean {
  try {
    store?.append(seq, line);
    return true;
  } catch {
    return false;
  }
}

/** Runs only while something is held back: an idle harness has no timer. */
function makeTimer(flush: () => void) {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    stop,
    start() {
      timer ??= setTimeout(() => {
        stop();
        flush();
      }, HOLD_MS);
    },
  };
}
