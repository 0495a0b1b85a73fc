/** Use, plan and budget of a Session with the real harness, the rehearsal and the tools. */
import { expect } from 'vitest';
import { CONTINUE } from '../../agent/harness/prompt.ts';
import { it } from './pod-test.ts';
import { script, setStage } from './stage.ts';

const { podWith } = setStage();
const usd = (amount: string) => ({ amount, currency: 'USD' });

it('is broken off at the limit, survives a kill of everything while it is asked, and goes on after a yes', async ({
  makePod,
}) => {
  const prompt = script(
    { plan: { steps: ['Read', 'Write'], done: 1 } },
    { edit: { file: 'a', append: 'x\n' } },
    { use: { inputTokens: 100, outputTokens: 20, cost: 0.6 } },
    { waitFor: { file: '.git/never' } },
  );
  const pod = podWith(makePod, { prompt });
  pod.api.budget({ cost: usd('0.5') });
  await pod.start();
  const asked = await pod.until(() => pod.api.questions().find(({ spec }) => spec.text.includes('its budget is 0.5')));
  expect(asked.spec.text).toContain('has used 0.6 USD');
  await pod.until(() => pod.condition('Waiting')?.status === 'True');
  expect(pod.api.session().status).toMatchObject({ plan: { done: 1, total: 2, current: 'Write' } });
  await pod.end('SIGKILL');
  await pod.startTools();
  pod.write('.git/never');
  await pod.start();
  pod.api.answer(asked.metadata.name, { option: 'go-on' });
  expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
  expect(pod.api.questions()).toHaveLength(1);
  const [first, second, ...more] = pod.prompts();
  expect([first, more]).toEqual([prompt, []]);
  expect(second?.startsWith(CONTINUE)).toBe(true);
  expect(pod.file('a')).toBe('x\n');
  expect(pod.api.session().status).toMatchObject({
    usage: { turns: 1, inputTokens: 100, outputTokens: 20, cost: usd('0.6') },
    budget: { cost: usd('1.1') },
  });
});

it('ends with the reason after a no', async ({ makePod }) => {
  const pod = podWith(makePod, { prompt: script({ say: 'hm' }, { use: { outputTokens: 11 } }) });
  pod.api.budget({ tokens: 10 });
  pod.api.say('more');
  await pod.start();
  const asked = await pod.until(() => pod.api.questions().at(0));
  pod.api.answer(asked.metadata.name, { option: 'stop' });
  expect(await pod.finished()).toMatchObject({ reason: 'Budget', message: expect.stringContaining('budget') });
  expect(pod.api.session().status).toMatchObject({ messagesRead: 1, usage: { outputTokens: 11 } });
  expect(pod.prompts()).toHaveLength(1);
});
