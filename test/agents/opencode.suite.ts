import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DIALECT } from './dialect.ts';
import { inTurn } from './model/talk.ts';
import { findAgents, play, type Stage, setStage } from './stage.ts';

const found = await findAgents(process.env);

let stage: Stage;
beforeAll(async () => {
  if ('bin' in found) stage = await setStage(found.bin, process.env['PATH'] ?? '');
});
afterAll(() => stage?.close());

describe.skipIf('missing' in found)('opencode', () => {
  it('asks before it writes a file, writes it after a yes, and ends', async () => {
    const { pod, close } = await play(stage, {
      agent: 'opencode',
      allow: ['read'],
      script: inTurn(DIALECT.opencode.write('made.txt', 'made\n'), { say: 'made it' }),
      options: { patienceMs: 150_000 },
    });
    onTestFinished(close);
    await pod.start();
    const question = await pod.until(() => pod.api.questions()[0]);
    expect(question.spec).toMatchObject({ kind: 'Permit', toolCall: { kind: 'edit' } });
    pod.api.answer(question.metadata.name, { option: 'allow' });
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.api.session().status?.result?.summary).toContain('made it');
    expect(pod.file('made.txt').trim()).toBe('made');
  });
});
