/**
 * Asks a person and waits, for the tools of the MCP server. The wait survives a kill of anything: the agent asks
 * again in the same words, and the same Question is found by its key.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { Stored } from '../../lib/api/meta.ts';
import type { Question, QuestionSpec } from '../../lib/api/question.ts';
import type { Clock } from '../../lib/kube/clock.ts';
import { type Decision, decide } from '../../lib/question/decision.ts';
import { openJsonLines } from '../json-lines.ts';
import { trackOccurrences } from '../occurrences.ts';
import { persistently, poll } from '../polling.ts';
import { passes } from './passing.ts';
import type { Questions } from './questions.ts';
import type { Waiting } from './waiting.ts';

export type Closed = Exclude<Decision, { state: 'open' }>;

/** One thing to ask. */
export interface Inquiry {
  /** What makes two askings the same: everything but time. */
  content: unknown;
  spec: (occurrence: number) => QuestionSpec;
  signal: AbortSignal;
  /** Called at each look, so that the agent's client sees that somebody is still there. */
  progress: (message: string) => void;
}

export interface Answered<T> {
  question: Stored<Question>;
  value: T;
}

export interface Asking {
  /**
   * Asks and waits until `settle` gives a value for the Question as it then is. With `again` false for that value,
   * the same content asked later finds this answer instead of asking anew.
   */
  ask<T>(
    inquiry: Inquiry,
    settle: (question: Stored<Question>, decision: Closed) => Settled<T> | undefined,
  ): Promise<T>;
}

export interface Settled<T> {
  value: T;
  again: boolean;
}

const delivery = z.object({ content: z.string(), question: z.string() });

export interface AskingOptions {
  questions: Questions;
  waiting: Waiting;
  /** Folder of this Session's memory on the volume. */
  folder: string;
  clock: Clock;
}

/** Asking for one Session. */
export function makeAsking({ questions, waiting, folder, clock }: AskingOptions): Asking {
  const delivered = openJsonLines(join(folder, 'delivered.jsonl'), delivery);
  const occurrences = trackOccurrences(
    (content) => delivered.records.filter((record) => record.content === content).length,
  );
  return {
    async ask({ content, spec, signal, progress }, settle) {
      const sum = createHash('sha256').update(JSON.stringify(content)).digest('hex');
      const { occurrence, release } = occurrences.take(sum, signal);
      let name: string | undefined;
      try {
        const wanted = spec(occurrence);
        const key = `tool\n${sum}\n${occurrence}`;
        const asked = await persistently(() => questions.ask(key, wanted), { clock, signal, isPassing: passes });
        name = asked.metadata.name;
        const look = lookAt({ questions, waiting, clock }, asked);
        const settled = await poll(
          async () => {
            progress(`waiting for the answer to Question ${asked.metadata.name}`);
            const { question, decision } = await look();
            return decision.state === 'open' ? undefined : settle(question, decision);
          },
          { clock, signal },
        );
        if (settled.again) delivered.append({ content: sum, question: name });
        return settled.value;
      } finally {
        release();
        if (name !== undefined) waiting[signal.aborted ? 'abandon' : 'drop'](name);
      }
    },
  };
}

/** Reads the Question anew; where the API server does not answer, what was read last holds on. */
function lookAt({ questions, waiting, clock }: Omit<AskingOptions, 'folder'>, asked: Stored<Question>) {
  let question = asked;
  return async () => {
    question = await questions.get(asked.metadata.name).catch((error) => {
      if (!passes(error)) throw error;
      return question;
    });
    const decision = decide(question, new Date(clock.now()));
    waiting.see(question, decision);
    return { question, decision };
  };
}
