/** The harness's loop with everything around it pretended: an agent that does as it is told, time that passes at once. */
import type { HarnessOptions } from '../../agent/harness/context.ts';
import type { Conversation, TurnEnd } from '../../agent/harness/conversation.ts';
import { runHarness } from '../../agent/harness/harness.ts';
import { type JournalRecord, progressOf } from '../../agent/harness/journal.ts';
import { makeMeter } from '../../agent/harness/meter.ts';
import { makePulse, type Pulse } from '../../agent/harness/pulse.ts';
import type { StatusPatch } from '../../agent/harness/tools-client.ts';
import type { Question } from '../../lib/api/question.ts';
import type { Session } from '../../lib/api/session.ts';
import type { Clock } from '../../lib/kube/clock.ts';
import { virtualClock } from '../support/virtual-clock.ts';

export const DONE = { ended: true as const, stopReason: 'end_turn', summary: 'done' } satisfies TurnEnd;

export interface Stage {
  clock: Clock;
  pulse: Pulse;
  /** How often the agent was given a prompt. */
  prompts: string[][];
  session: Session;
}

export interface LoopOptions {
  /** What the agent does with a prompt. */
  play: (stage: Stage) => Promise<TurnEnd>;
  idle?: Partial<HarnessOptions['config']['idle']>;
  records?: JournalRecord[];
  append?: (record: JournalRecord, records: JournalRecord[]) => void;
  session?: Partial<Session>;
  questions?: Question[];
}

/** Runs the loop until the Session has finished. */
export async function runLoop({ play, idle, records = [], append, session, questions = [] }: LoopOptions) {
  const stop = new AbortController();
  const clock = virtualClock();
  const told: StatusPatch[] = [];
  const logged: string[] = [];
  const stage: Stage = {
    clock,
    pulse: makePulse(clock.now),
    prompts: [],
    session: { spec: {}, ...session } as Session,
  };
  let ends = 0;
  const converse = async (load: string | undefined) => {
    let alive = true;
    return {
      id: 'one',
      loaded: load !== undefined,
      heard: () => 'do it',
      get alive() {
        return alive;
      },
      prompt: (blocks: string[]) => {
        stage.prompts.push(blocks);
        return play(stage);
      },
      cancel: async () => {},
      end: async () => {
        ends += alive ? 1 : 0;
        alive = false;
      },
    } as unknown as Conversation;
  };
  const add = append ?? ((record: JournalRecord) => void records.push(record));
  await runHarness({
    config: {
      agent: { name: 'x' },
      approvals: { allow: [] },
      idle: { finishAfter: '0s', stalledAfter: '0s', ...idle },
    },
    pulse: stage.pulse,
    meter: makeMeter(),
    task: 'do it',
    journal: { records, append: (record: JournalRecord) => add(record, records) },
    tools: {
      session: async () => stage.session,
      question: async (name: string) => questions.find(({ metadata }) => metadata.name === name),
    },
    reporter: {
      note: () => {},
      tell: (patch: StatusPatch) => {
        told.push(patch);
        if (patch.conditions?.some(({ type }) => type === 'Finished')) stop.abort(new Error('stopped'));
      },
      flush: async () => {},
    },
    clock,
    stop: stop.signal,
    log: (line: string) => void logged.push(line),
    clone: async () => ({ passes: false, message: '' }),
    result: async () => ({}),
    converse,
  } as unknown as HarnessOptions);
  const ready = told.flatMap(({ conditions = [] }) => conditions.filter(({ type }) => type === 'Ready'));
  return { end: progressOf(records).finished, records, told, ready, logged, ends, ...stage };
}
