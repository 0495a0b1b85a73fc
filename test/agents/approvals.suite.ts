/** What needs no yes, what a Question shows, what "always" means, and the limit of a budget, with the real agents. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DIALECT, type Spoken } from './dialect.ts';
import { inTurn, when } from './model/talk.ts';
import { findAgents, type Play, play, type Stage, setStage } from './stage.ts';

const found = await findAgents(process.env);

let stage: Stage;
beforeAll(async () => {
  if ('bin' in found) stage = await setStage(found.bin, process.env['PATH'] ?? '');
});
afterAll(() => stage?.close());

const started = async (wanted: Parameters<typeof play>[1], budget?: { tokens: number }): Promise<Play> => {
  const played = await play(stage, wanted);
  onTestFinished(() => played.close());
  if (budget) played.pod.api.budget(budget);
  await played.pod.start();
  return played;
};

describe.skipIf('missing' in found).each<Spoken>(['claude-code', 'codex'])('%s', (agent) => {
  const { run: shell } = DIALECT[agent];

  it('runs what matches a pattern unasked, asks for the rest whole, and is asked no second time after "always"', async () => {
    const asked = 'touch asked.txt && rm README.md';
    const { pod } = await started({
      agent,
      script: inTurn(shell('touch one.txt'), shell(asked), shell('touch README.md'), shell(asked), { say: 'done' }),
      options: {
        config: { approvals: { allow: ['read', 'search', 'think'], commands: ['touch *.txt', 'touch *.md'] } },
      },
    });
    const question = await pod.until(() => pod.api.questions()[0]);
    expect(pod.file('one.txt')).toBe('');
    expect(question.spec.toolCall).toMatchObject({ kind: 'execute', command: asked });
    expect(question.spec.options?.map(({ id }) => id)).toContain('allow-always');
    pod.api.answer(question.metadata.name, { option: 'allow-always' });
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.api.questions()).toHaveLength(1);
    expect(() => pod.file('README.md')).toThrow();
    expect(pod.file('asked.txt')).toBe('');
  });

  it('asks at the limit of its budget before it gets a message, and sums what it used', async () => {
    const script = when({ 'begin the task': inTurn({ say: 'hi' }), more: inTurn({ say: 'more' }) });
    const { pod } = await started(
      { agent, script, options: { config: { idle: { finishAfter: '5m', stalledAfter: '0s' } } } },
      { tokens: 1 },
    );
    pod.api.say('more');
    const question = await pod.until(() => pod.api.questions()[0]);
    expect(question.spec.text).toMatch(/^Session s has used [0-9,]+ tokens, and its budget is 1\./);
    await pod.until(() => pod.api.session().status?.usage?.turns === 1);
    expect(pod.api.session().status).toMatchObject({ budget: { tokens: 1 } });
    pod.api.answer(question.metadata.name, { option: 'go-on' });
    await pod.until(() => pod.api.session().status?.usage?.turns === 2);
    expect(pod.api.session().status?.usage?.inputTokens).toBeGreaterThan(0);
  });
});
