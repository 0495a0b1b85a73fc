import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DIALECT, type Spoken } from './dialect.ts';
import { FAULT, type Fault } from './model/faults.ts';
import { inTurn } from './model/talk.ts';
import { findAgents, play, type Stage, setStage } from './stage.ts';

const found = await findAgents(process.env);

let stage: Stage;
beforeAll(async () => {
  if ('bin' in found) stage = await setStage(found.bin, process.env['PATH'] ?? '');
});
afterAll(() => stage?.close());

const often = (fault: Fault): Fault[] => Array.from({ length: 40 }, () => fault);

describe.skipIf('missing' in found).each<Spoken>(['claude-code', 'codex'])('the model of %s', (agent) => {
  const { freely: shell } = DIALECT[agent];
  const begin = async (faults: Fault[], script = inTurn(shell('echo x > made.txt'), { say: 'made' }), env = {}) => {
    const { pod, model, close } = await play(stage, { agent, script, options: { env } });
    onTestFinished(close);
    model.faults = faults;
    await pod.start();
    return { pod, model };
  };

  it('has hiccups of each kind, one after the other: the agent tries again, and the task is done', async () => {
    const hiccups: Fault[] = [
      FAULT.tooMany,
      { cutAfter: 2 },
      FAULT.overloaded,
      { silentMs: 3000 },
      { malformed: true },
    ];
    const { pod, model } = await begin(hiccups, undefined, { CLAUDE_CODE_MAX_RETRIES: '6' });
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.file('made.txt')).toBe('x\n');
    expect(model.faults).toEqual([]);
  });

  it.each([
    ['refuses the key', FAULT.wrongKey, 'spec.credentials'],
    ['is out of credit', FAULT.noCredit, 'add credit'],
  ])('%s: the Session fails and says what to do', async (_name, fault, words) => {
    const { pod } = await begin(often(fault));
    expect(await pod.finished()).toMatchObject({ reason: 'Failed', message: expect.stringContaining(words) });
    expect(() => pod.file('made.txt')).toThrow();
  });

  it('is told of 20 MB that a command printed, and the Session goes on', async () => {
    const { pod, model } = await begin(
      [],
      inTurn(shell('head -c 20000000 /dev/zero | tr "\\0" x'), ({ results }) => ({ say: `${results[0]?.length}` })),
    );
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(model.turns.at(-1)?.talk.results[0]?.length).toBeLessThan(1_000_000);
  });
});

describe.skipIf('missing' in found)('an agent', () => {
  it('that says nothing because its model can not be reached is given up', async () => {
    const idle = { finishAfter: '5s', stalledAfter: '3s' };
    const { pod, model, close } = await play(stage, {
      agent: 'codex',
      script: () => ({}),
      options: { config: { idle } },
    });
    onTestFinished(close);
    await model.close();
    await pod.start();
    expect(await pod.finished()).toMatchObject({ reason: 'Failed', message: expect.stringContaining('hung 3 times') });
  });

  it('that the image lacks is named', async () => {
    const { pod, close } = await play(stage, {
      agent: 'codex',
      script: () => ({}),
      options: { env: { PATH: '/usr/bin:/bin' } },
    });
    onTestFinished(close);
    await pod.start();
    expect(await pod.finished()).toMatchObject({
      reason: 'Failed',
      message: expect.stringContaining('"codex-acp" is not in the container'),
    });
  });

  it('that exits with 0 and has done nothing has failed', async () => {
    const { pod, close } = await play(stage, {
      agent: 'claude-code',
      script: () => ({}),
      options: { agent: { command: ['true'] } },
    });
    onTestFinished(close);
    await pod.start();
    expect(await pod.finished()).toMatchObject({
      reason: 'Failed',
      message: expect.stringContaining('ended with code 0'),
    });
  });
});
