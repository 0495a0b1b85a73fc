import { beforeEach, describe, expect, it } from 'vitest';
import { ownSession } from '../../agent/tools/own-session.ts';
import { MAX_A_MINUTE, MAX_OPEN } from '../../agent/tools/question-limit.ts';
import { makeQuestions } from '../../agent/tools/questions.ts';
import type { QuestionSpec } from '../../lib/api/question.ts';
import { type PretendedApi, pretendApi, SESSION_UID } from './pretended-api.ts';

let api: PretendedApi;
let time: number;
beforeEach(() => {
  api = pretendApi('s', { prompt: 'x', agent: { name: 'rehearsal' } });
  time = 0;
});

/** As after a start of the tools. */
function questions() {
  const identity = { namespace: 'p', session: 's', sessionUid: SESSION_UID, run: '', state: '' };
  const session = ownSession(api.client, identity);
  return makeQuestions({ client: api.client, identity, session, now: () => new Date(time) });
}
const spec = (text: string): QuestionSpec => ({ session: 's', kind: 'Ask', text });
const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at));
const answerAll = () => {
  for (const { metadata, spec } of api.questions()) if (!spec.answer) api.answer(metadata.name, { text: 'yes' });
};

describe('how much a Session may ask', () => {
  it('is limited in what is open at a time, also when it is asked all at once or by new tools', async () => {
    const one = questions();
    const asked = await Promise.allSettled(numbers(MAX_OPEN + 3).map((key) => one.ask(key, spec(key))));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_OPEN);
    const refusal = { code: 403, message: expect.stringContaining('wait for answers') };
    await expect(questions().ask('another', spec('another'))).rejects.toMatchObject(refusal);
    expect(await questions().ask('0', spec('0'))).toMatchObject({ spec: { text: '0' } });
    answerAll();
    await one.ask('another', spec('another'));
  });

  it('is limited within a minute', async () => {
    const one = questions();
    for (const key of numbers(MAX_A_MINUTE)) {
      await one.ask(key, spec(key));
      answerAll();
    }
    await expect(one.ask('another', spec('another'))).rejects.toMatchObject({ code: 403 });
    time += 60_000;
    await one.ask('another', spec('another'));
  });
});

it('half a surrogate pair does not make a Question another one', async () => {
  await questions().ask('k', spec('cut \ud83d'));
  const [made] = api.questions();
  expect(made).toBeDefined();
  if (made) made.spec.text = 'cut \ufffd';
  if (made) await api.client.delete({ plural: 'questions' } as never, { namespace: 'p', name: made.metadata.name });
  if (made) await api.client.create({ plural: 'questions' } as never, made);
  expect(await questions().ask('k', spec('cut \ud83d'))).toMatchObject({ spec: { text: 'cut \ufffd' } });
});
