import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DIALECT } from './dialect.ts';
import { findAgents, play, type Stage, setStage } from './stage.ts';

const found = await findAgents(process.env);

let stage: Stage;
beforeAll(async () => {
  if ('bin' in found) stage = await setStage(found.bin, process.env['PATH'] ?? '');
});
afterAll(() => stage?.close());

describe.skipIf('missing' in found).each<'gemini' | 'opencode'>(['gemini', 'opencode'])('%s', (agent) => {
  it('asks before it writes a file, writes it after a yes, and ends', async () => {
    const { pod, close } = await play(stage, {
      agent,
      allow: ['read'],
      script: ({ results }) =>
        results.length > 0
          ? { say: 'made it' }
          : DIALECT[agent].write(join(pod.folder, 'work', 'repo', 'made.txt'), 'made\n'),
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
