import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../agent/repositories.ts';
import { DIALECT, type Spoken } from './dialect.ts';
import { inTurn, type Reply, type Talk, when } from './model/talk.ts';
import { findAgents, type Play, play, type Stage, setStage } from './stage.ts';

const found = await findAgents(process.env);

let stage: Stage;
beforeAll(async () => {
  if ('bin' in found) stage = await setStage(found.bin, process.env['PATH'] ?? '');
});
afterAll(() => stage?.close());

const started = async (wanted: Parameters<typeof play>[1]): Promise<Play> => {
  const played = await play(stage, wanted);
  onTestFinished(() => played.close());
  await played.pod.start();
  return played;
};

const tell = ({ results }: Talk): Reply => ({ say: `it came to: ${results.at(-1)}` });

describe.skipIf('missing' in found).each<Spoken>(['claude-code', 'codex'])('%s', (agent) => {
  const { run: shell, freely, write, tiny } = DIALECT[agent];

  it('edits the clone and commits, and goes on with a message in the same conversation', async () => {
    const { pod, model } = await started({
      agent,
      script: when({
        'begin the task': inTurn(
          { say: 'I look first', ...freely('cat README.md') },
          freely('echo three >> README.md'),
          freely('git commit -qam "Count to three"'),
          { say: 'counted' },
        ),
        'one more': inTurn(freely('echo four >> README.md && git commit -qam "Count to four"'), { say: 'and on' }),
      }),
    });
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.api.session().status).toMatchObject({
      result: { summary: 'counted', branch: 'tiny/s', commits: 1, filesChanged: 1 },
      usage: { turns: 1, inputTokens: expect.any(Number), outputTokens: expect.any(Number) },
    });
    pod.api.say('one more');
    await pod.until(() => pod.api.session().status?.result?.commits === 2);
    expect(model.turns.at(-1)?.talk.said).toEqual(['begin the task', 'one more']);
    expect(pod.file('README.md')).toBe('one\ntwo\nthree\nfour\n');
    expect(run(join(pod.folder, 'work', 'repo'), 'log', '-1', '--format=%an')).toBe('tiny session s');
    expect(model.turns.every(({ key }) => key === 'test-key')).toBe(true);
  });

  it('asks before it acts: a yes is done once, a no is not done, and is told as a no', async () => {
    const { pod, model } = await started({
      agent,
      allow: ['read', 'search', 'think'],
      script: (talk) => {
        const all = [...talk.said, ...talk.allResults].join('\n');
        if (/denied|refused|reject/i.test(all))
          return { say: `I was told: ${all.includes('denied') ? 'denied' : 'refused'}` };
        if (talk.allResults.length === 0) return write(join(pod.folder, 'work', 'repo', 'made.txt'), 'made\n');
        return shell('echo no > denied.txt');
      },
    });
    const first = await pod.until(() => pod.api.questions()[0]);
    expect(first.spec).toMatchObject({
      kind: 'Permit',
      toolCall: { kind: 'edit', diff: expect.stringContaining('+made') },
    });
    pod.api.answer(first.metadata.name, { option: 'allow' });
    const second = await pod.until(() => pod.api.questions()[1]);
    expect(second.spec.toolCall).toMatchObject({
      kind: 'execute',
      input: expect.stringContaining('echo no > denied.txt'),
    });
    pod.api.answer(second.metadata.name, { option: 'deny' });
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.api.session().status?.result?.summary).toMatch(/I was told: (denied|refused)/);
    expect(pod.file('made.txt')).toBe('made\n');
    expect(() => pod.file('denied.txt')).toThrow();
    expect(pod.api.questions()).toHaveLength(2);
    expect(model.turns.length).toBeGreaterThan(2);
  });

  it('uses our tools: tells its status, asks a person, proposes a child; also after the sidecar was killed', async () => {
    const { pod } = await started({
      agent,
      script: inTurn(
        tiny('set_status', { text: 'at it' }),
        tiny('ask', { text: 'Red or blue?' }),
        tiny('spawn', { prompt: 'paint it' }),
        tell,
      ),
    });
    const asked = await pod.until(() => pod.api.questions().find(({ spec }) => spec.kind === 'Ask'));
    expect(pod.api.session().status?.message).toBe('at it');
    await pod.startTools();
    pod.api.answer(asked.metadata.name, { text: 'blue' });
    const child = await pod.until(() => pod.api.questions().find(({ spec }) => spec.kind === 'Spawn'));
    pod.api.answer(child.metadata.name, { option: 'deny' });
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.api.session().status?.result?.summary).toMatch(/no|denied|not/i);
    expect(pod.api.questions()).toHaveLength(2);
  });
});
