/** Sleep and wake with the real agents: the pod goes while a person is asked, and the turn goes on with the answer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECT, type Spoken } from './dialect.ts';
import { findAgents, type Play, play, type Stage, setStage } from './stage.ts';

const found = await findAgents(process.env);
let stage: Stage;
const plays: Play[] = [];
beforeAll(async () => {
  if ('bin' in found) stage = await setStage(found.bin, process.env['PATH'] ?? '');
});
afterAll(async () => {
  await Promise.all(plays.map((one) => one.close()));
  await stage?.close();
});

describe.skipIf('missing' in found).each<Spoken>(['claude-code', 'codex'])('%s', (agent) => {
  it('goes on in the same turn with an answer that came while it was asleep', async () => {
    const one = await play(stage, {
      agent,
      script: ({ said }) => {
        const [, answer] = /the answer is: (\w+)/.exec(said.join('\n')) ?? [];
        return answer ? { say: `heard ${answer}` } : DIALECT[agent].tiny('ask', { text: 'Red or blue?' });
      },
    });
    plays.push(one);
    const pod = await one.pod.start();
    const asked = await pod.until(() => pod.api.questions()[0]);
    await pod.until(() => pod.api.session().status?.waitingFor?.[0] === asked.metadata.name);
    expect(await pod.end('SIGTERM')).toBe(0);
    expect(pod.condition('Waiting')).toMatchObject({ status: 'True', reason: 'Question' });
    pod.api.answer(asked.metadata.name, { text: 'blue' });
    await pod.startTools();
    await pod.start();
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.api.session().status).toMatchObject({
      result: { summary: 'heard blue' },
      usage: { turns: 1 },
      waitingFor: [],
    });
    expect(pod.api.questions()).toHaveLength(1);
    expect(one.model.turns.at(-1)?.talk.said.filter((words) => words.includes('begin the task'))).toHaveLength(1);
  });
});
