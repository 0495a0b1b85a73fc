/** The limit of a budget, with the harness killed between any two of its acts; all else is made up. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import type { HarnessOptions } from '../../agent/harness/context.ts';
import type { Conversation, TurnEnd } from '../../agent/harness/conversation.ts';
import { runHarness } from '../../agent/harness/harness.ts';
import { type JournalRecord, progressOf } from '../../agent/harness/journal.ts';
import { makeMeter } from '../../agent/harness/meter.ts';
import { CONTINUE } from '../../agent/harness/prompt.ts';
import { makePulse } from '../../agent/harness/pulse.ts';
import { mergePatch } from '../../agent/harness/reporter.ts';
import { type StatusPatch, type ToolsClient, ToolsError } from '../../agent/harness/tools-client.ts';
import { budgetKey, budgetQuestion } from '../../agent/tools/budget-question.ts';
import type { Question, QuestionSpec } from '../../lib/api/question.ts';
import type { Session } from '../../lib/api/session.ts';

class Killed extends ToolsError {}

/** What one turn of the agent does. */
interface Play {
  /** What its conversation has cost by then. */
  costs?: number;
  /** Whether it ends by itself. */
  ends: boolean;
  tokens?: number;
}

interface Plot {
  budget: Session['spec']['budget'];
  messages?: string[];
  plays: Play[];
  /** What is answered, Question by Question; what is missing stays open. */
  answers: string[];
}

/** What outlives a kill: the volume, the API server, and what the agent has heard. */
function makeWorld({ budget, messages: said = [], plays, answers }: Plot) {
  const messages = [...said];
  const world = {
    records: [] as JournalRecord[],
    questions: new Map<string, { name: string; spec: QuestionSpec; looks: number }>(),
    status: {} as StatusPatch,
    prompts: [] as string[],
    now: 0,
    acts: 0,
    killAt: Number.POSITIVE_INFINITY,
  };
  const session = () => ({
    metadata: { name: 's', uid: 'u' },
    spec: { budget, messages: messages.map((text, at) => ({ id: `m${at}`, text })), idle: {} },
    status: world.status,
  });
  /** One act, killed before it or after it. */
  const act = async <T>(effect: () => T | Promise<T>): Promise<T> => {
    const die = () => {
      if (world.acts++ >= world.killAt) throw new Killed(400, 'killed');
    };
    die();
    const done = await effect();
    die();
    return done;
  };
  const actNow = (effect: () => void) => {
    if (world.acts++ >= world.killAt) throw new Killed(400, 'killed');
    effect();
    if (world.acts++ >= world.killAt) throw new Killed(400, 'killed');
  };
  const answered = (name: string): Question => {
    const found = [...world.questions.values()].find((one) => one.name === name);
    if (!found) throw new ToolsError(404, 'gone');
    found.looks += 1;
    const option = answers[[...world.questions.values()].indexOf(found)];
    const spec = found.looks > 1 && option !== undefined ? { ...found.spec, answer: { option } } : found.spec;
    return { metadata: { name }, spec } as unknown as Question;
  };
  const tools = {
    session: () => act(() => session() as unknown as Session),
    question: (name: string) => act(() => answered(name)),
    askBudget: (request: Parameters<ToolsClient['askBudget']>[0]) =>
      act(() => {
        const key = budgetKey(request);
        const name = world.questions.get(key)?.name ?? `q${world.questions.size}`;
        if (!world.questions.has(key)) world.questions.set(key, { name, spec: budgetQuestion('s', request), looks: 0 });
        return { metadata: { name } } as unknown as Question;
      }),
  } as unknown as ToolsClient;

  /** Runs until the harness has finished or waits for good, or is killed. */
  async function run(): Promise<'killed' | 'rests'> {
    const stop = new AbortController();
    const meter = makeMeter();
    let sleepless = 0;
    const sleep = (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const { aborted } = signal ?? {};
        if (aborted) return reject(signal?.reason);
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        if (ms > 3_600_000) return;
        setImmediate(() => {
          world.now += ms;
          sleepless += 1;
          if (sleepless > 30) stop.abort(new Error('rests'));
          resolve();
        });
      });
    const tell = (patch: StatusPatch) => {
      world.status = mergePatch(world.status, patch);
    };
    const journal = {
      records: world.records,
      append: (record: JournalRecord) => actNow(() => void world.records.push(JSON.parse(JSON.stringify(record)))),
    };
    const options = {
      config: { agent: { name: 'x' }, idle: { finishAfter: '0s', stalledAfter: '0s' } },
      task: 'the task',
      journal,
      tools,
      reporter: {
        note: tell,
        tell,
        flush: async () => {},
      },
      meter,
      pulse: makePulse(() => world.now),
      clock: { now: () => world.now, random: () => 0, sleep },
      stop: stop.signal,
      log: () => {},
      result: async () => ({}),
      converse: (load: string | undefined) => act(() => conversation(load, meter.take)),
    } as unknown as HarnessOptions;
    return runHarness(options).then(
      () => 'rests' as const,
      (error) => {
        if (error instanceof Killed) return 'killed' as const;
        throw error;
      },
    );
  }

  function conversation(load: string | undefined, take: (update: SessionUpdate) => void): Conversation {
    let alive = true;
    let cancelled = () => {};
    const heard = load === undefined ? '' : (world.prompts.findLast((text) => text !== CONTINUE) ?? '');
    return {
      id: 'c',
      loaded: load !== undefined,
      heard: () => heard,
      get alive() {
        return alive;
      },
      prompt: (blocks: readonly string[]) => {
        world.prompts.push(blocks.join('\n'));
        // A play that is resumed goes on; one that was written down as over is followed by the next.
        const over = world.records.filter(({ type }) => type === 'paused' || type === 'ended').length;
        const play = plays[Math.min(over, plays.length - 1)] ?? { ends: true };
        const usage = { inputTokens: play.tokens ?? 0 };
        const ended = new Promise<TurnEnd>((resolve) => {
          cancelled = () => resolve({ ended: true, stopReason: 'cancelled', summary: '', ...usage });
          setImmediate(() => {
            if (play.costs !== undefined) {
              const cost = { amount: play.costs, currency: 'USD' };
              take({ sessionUpdate: 'usage_update', used: 1, size: 1, cost } as SessionUpdate);
            }
            if (play.ends) resolve({ ended: true, stopReason: 'end_turn', summary: 'done', ...usage });
          });
        });
        return ended;
      },
      cancel: async () => cancelled(),
      end: async () => {
        alive = false;
      },
    } as Conversation;
  }
  return { world, run, say: (text: string) => void messages.push(text) };
}

const finished = (records: readonly JournalRecord[]) => progressOf(records).finished;

const TOKENS: Plot = {
  budget: { tokens: 10 },
  messages: ['a message'],
  plays: [{ ends: true, tokens: 12 }],
  answers: [],
};
const MONEY: Plot = {
  budget: { cost: { amount: '0.5', currency: 'USD' } },
  plays: [
    { ends: false, costs: 0.6 },
    { ends: true, costs: 0.9 },
  ],
  answers: [],
};

describe('a budget of tokens', () => {
  it('is asked about before more is handed over, and told', async () => {
    const { world, run } = makeWorld(TOKENS);
    expect(await run()).toBe('rests');
    expect(world.prompts).toEqual(['the task']);
    expect([...world.questions.values()].map(({ spec }) => spec.text)).toEqual([
      expect.stringContaining('has used 12 tokens, and its budget is 10'),
    ]);
    expect(world.status).toMatchObject({ usage: { inputTokens: 12, turns: 1 }, budget: { tokens: 10 } });
    expect(finished(world.records)).toBeUndefined();
  });

  it('goes on after a yes with as much again, and asks again at the next limit', async () => {
    const { world, run } = makeWorld({ ...TOKENS, messages: ['one', 'two'], answers: ['go-on'] });
    await run();
    expect(world.prompts).toEqual(['the task', 'one']);
    expect(world.status.budget).toEqual({ tokens: 22 });
    expect([...world.questions.values()].map(({ spec }) => spec.text)[1]).toContain('24 tokens, and its budget is 22');
  });

  it('finishes after a no, and says why', async () => {
    const { world, run } = makeWorld({ ...TOKENS, answers: ['stop'] });
    await run();
    expect(finished(world.records)).toMatchObject({ reason: 'Budget' });
    expect(world.status.conditions?.find(({ type }) => type === 'Finished')).toMatchObject({ reason: 'Budget' });
    expect(world.prompts).toEqual(['the task']);
  });

  it('asks anew when a message comes after a no, and does not hand over what was passed over', async () => {
    const { world, run, say } = makeWorld({ ...TOKENS, answers: ['stop', 'go-on'] });
    await run();
    expect(world.status.messagesRead).toBe(1);
    say('another');
    await run();
    expect(world.questions.size).toBe(2);
    expect(world.prompts).toEqual(['the task', 'another']);
    expect(finished(world.records)).toMatchObject({ reason: 'Completed' });
  });

  it('that nothing is to be done within is of no interest', async () => {
    const { world, run } = makeWorld({ ...TOKENS, messages: [] });
    await run();
    expect(world.questions.size).toBe(0);
    expect(finished(world.records)).toMatchObject({ reason: 'Completed' });
  });
});

describe('a budget of money', () => {
  it('breaks the turn off, and goes on with it after a yes', async () => {
    const { world, run } = makeWorld({ ...MONEY, answers: ['go-on'] });
    await run();
    expect(world.prompts).toEqual(['the task', CONTINUE]);
    expect(world.records.map(({ type }) => type)).toEqual([
      ...['session', 'prompt', 'paused', 'used', 'budget', 'prompt', 'ended', 'finished'],
    ]);
    expect(world.status).toMatchObject({
      usage: { turns: 1, cost: { amount: '0.9', currency: 'USD' } },
      budget: { cost: { amount: '1.1', currency: 'USD' } },
    });
  });

  it('that its agent never tells is asked about once', async () => {
    const plays = [{ ends: true, tokens: 1 }];
    const { world, run } = makeWorld({ ...MONEY, plays, messages: ['one', 'two'], answers: ['go-on'] });
    await run();
    expect(world.questions.size).toBe(1);
    expect(world.prompts).toEqual(['the task', 'one', 'two']);
    expect(finished(world.records)).toMatchObject({ reason: 'Completed' });
  });
});

describe('killed before or after any of its acts', () => {
  it.each<[name: string, plot: Plot, prompts: string[], reason: string]>([
    ['of tokens, and a yes', { ...TOKENS, answers: ['go-on'] }, ['the task', 'a message'], 'Completed'],
    ['of tokens, and a no', { ...TOKENS, answers: ['stop'] }, ['the task'], 'Budget'],
    ['of money, and a yes', { ...MONEY, answers: ['go-on'] }, ['the task'], 'Completed'],
    ['of money, and a no', { ...MONEY, answers: ['stop'] }, ['the task'], 'Budget'],
  ])('a harness at the limit %s asks once and does what was answered', async (_name, plot, prompts, reason) => {
    const whole = makeWorld(plot);
    await whole.run();
    expect(whole.world.acts).toBeGreaterThan(15);
    for (let killAt = 0; killAt < whole.world.acts; killAt += 1) {
      const { world, run } = makeWorld(plot);
      world.killAt = killAt;
      const first = await run();
      world.killAt = Number.POSITIVE_INFINITY;
      if (first === 'killed') await run();
      const where = `killed at ${killAt}: ${JSON.stringify(world.records)}`;
      expect(finished(world.records)?.reason, where).toBe(reason);
      expect(world.questions.size, where).toBe(1);
      for (const one of prompts)
        expect(
          world.prompts.filter((text) => text.endsWith(one)),
          where,
        ).toHaveLength(1);
      expect(
        world.prompts.filter((text) => text !== CONTINUE),
        where,
      ).toHaveLength(prompts.length);
      expect(world.records.filter(({ type }) => type === 'budget').length, where).toBe(1);
    }
  });
});
