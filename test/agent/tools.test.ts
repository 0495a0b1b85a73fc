import { beforeAll, describe, expect } from 'vitest';
import { stringify } from 'yaml';
import type { Pod, PodOptions } from './pod.ts';
import { it, type MakePod } from './pod-test.ts';
import { programs } from './programs.ts';

let folder: string;
beforeAll(async () => {
  folder = await programs();
});

const podFor = (makePod: MakePod, steps: unknown[], options: Partial<PodOptions> = {}): Pod =>
  makePod({ programs: folder, prompt: stringify(steps), ...options });
const question = (pod: Pod) => pod.until(() => pod.api.questions().find(({ spec }) => !spec.answer));

describe.concurrent('a permission', () => {
  const permit = { permit: { title: 'Count', command: 'echo 1 >> count' } };

  it('is asked once, though agent, harness and tools are killed while it waits', async ({ makePod }) => {
    const pod = await podFor(makePod, [permit, { say: 'end' }]).start();
    const asked = await question(pod);
    expect(asked.spec).toMatchObject({
      session: 's',
      kind: 'Permit',
      toolCall: { kind: 'execute', input: '{"command":"echo 1 >> count"}' },
    });
    await pod.until(() => pod.condition('Waiting')?.status === 'True');
    expect(pod.condition('Ready')).toMatchObject({ reason: 'Waiting' });
    expect(pod.condition('Waiting')?.message).toContain(asked.metadata.name);
    await pod.end('SIGKILL');
    await pod.startTools();
    await pod.start();
    await pod.until(() => pod.prompts().length === 2);
    pod.api.answer(asked.metadata.name, { option: 'allow' });
    await pod.finished();
    expect(pod.api.questions()).toHaveLength(1);
    expect(pod.file('count'), pod.log).toBe('1\n');
    expect(pod.condition('Waiting')).toMatchObject({ status: 'False' });
  });

  it('is asked once, though the agent alone is killed while it waits', async ({ makePod }) => {
    const pod = await podFor(makePod, [permit]).start();
    const asked = await question(pod);
    process.kill(Number(asked.spec.toolCall?.id.split('-').at(-1)), 'SIGKILL');
    await pod.until(() => pod.prompts().length === 2);
    pod.api.answer(asked.metadata.name, { option: 'allow' });
    await pod.finished();
    expect(pod.api.questions()).toHaveLength(1);
    expect(pod.file('count')).toBe('1\n');
  });

  it('is asked again for the same act later, unless the answer was "always"; a no is told to the agent', async ({
    makePod,
  }) => {
    const pod = await podFor(makePod, [permit, permit, permit, { say: 'end' }]).start();
    for (const option of ['deny', 'allow-always']) {
      const { metadata } = await question(pod);
      pod.api.answer(metadata.name, { option });
    }
    await pod.finished();
    expect(pod.api.questions()).toHaveLength(2);
    expect(pod.said()).toContain('denied: Count');
    expect(pod.file('count')).toBe('1\n1\n');
  });

  it('is not asked for what the Session allows', async ({ makePod }) => {
    const pod = await podFor(makePod, [permit], { config: { approvals: { allow: ['execute'] } } }).start();
    await pod.finished();
    expect(pod.api.questions()).toEqual([]);
    expect(pod.file('count')).toBe('1\n');
  });
});

describe.concurrent('ask', () => {
  it('gives the answer, and finds its Question again after a kill of everything', async ({ makePod }) => {
    const ask = { text: 'Which colour?', options: ['Dark red', 'Blue'], into: 'answer' };
    const pod = await podFor(makePod, [{ ask }, { ask: { text: 'Why?' } }]).start();
    const first = await question(pod);
    expect(first.spec).toMatchObject({ kind: 'Ask', options: [{ id: 'dark-red', text: 'Dark red' }, { id: 'blue' }] });
    expect(first.metadata.ownerReferences).toMatchObject([
      { kind: 'Session', name: 's', uid: pod.api.session().metadata.uid },
    ]);
    await pod.end('SIGKILL');
    await pod.startTools();
    pod.api.answer(first.metadata.name, { option: 'dark-red' });
    await pod.start();
    const second = await question(pod);
    expect(pod.file('answer')).toBe('Dark red\n');
    pod.api.answer(second.metadata.name, { text: 'I like it' });
    await pod.finished();
    expect(pod.api.questions()).toHaveLength(2);
    expect(pod.said()).toEqual(['answer: Dark red', 'answer: I like it']);
  });

  it('goes on waiting when the tools are killed', async ({ makePod }) => {
    const pod = await podFor(makePod, [{ ask: { text: 'Why?' } }]).start();
    const asked = await question(pod);
    await pod.startTools();
    pod.api.answer(asked.metadata.name, { text: 'because' });
    await pod.finished();
    expect(pod.said()).toEqual(['answer: because']);
    expect(pod.api.questions()).toHaveLength(1);
  });

  it('tells the agent that nobody answered in time', async ({ makePod }) => {
    const pod = await podFor(makePod, [{ ask: { text: 'Now?', expires_in: '1s' } }]).start();
    await pod.finished();
    expect(pod.said()[0]).toContain('Nobody answered in time');
  });

  it('tells the agent what is wrong with its input', async ({ makePod }) => {
    const pod = await podFor(makePod, [
      { ask: { text: 'x', options: Array.from({ length: 17 }, (_, i) => `o${i}`) } },
    ]).start();
    await pod.finished();
    expect(pod.said()[0]).toContain('give at most 16 options');
  });
});

describe.concurrent('spawn', () => {
  it("asks for a child with the parent's repository and waits until it is made", async ({ makePod }) => {
    const spawn = { name: 'child', prompt: 'Write the tests' };
    const pod = await podFor(makePod, [{ spawn }, { spawn }]).start();
    const { metadata, spec } = await question(pod);
    expect(spec).toMatchObject({
      kind: 'Spawn',
      spawn: { name: 'child', spec: { prompt: 'Write the tests', agent: { name: 'rehearsal' } } },
    });
    expect(spec.spawn?.spec).not.toHaveProperty('requester');
    pod.api.answer(metadata.name, { option: 'allow' });
    pod.api.act(metadata.name, {
      child: 'child',
      conditions: [
        { type: 'Acted', status: 'True', reason: 'Spawned', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    });
    await pod.finished();
    expect(pod.said()).toEqual(['spawned: child', 'spawned: child']);
    expect(pod.api.questions()).toHaveLength(1);
  });

  it('gives the reason of a refusal', async ({ makePod }) => {
    const pod = await podFor(makePod, [{ spawn: { prompt: 'x' } }, { spawn: { prompt: 'x' } }]).start();
    const first = await question(pod);
    pod.api.answer(first.metadata.name, { option: 'deny', by: { username: 'bob' } });
    const second = await question(pod);
    pod.api.answer(second.metadata.name, { option: 'allow' });
    pod.api.act(second.metadata.name, {
      conditions: [
        {
          type: 'Acted',
          status: 'False',
          reason: 'Forbidden',
          message: 'bob may not',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
    await pod.finished();
    expect(pod.said()).toEqual([
      expect.stringContaining('bob said no'),
      expect.stringContaining('(Forbidden): bob may not'),
    ]);
    expect(first.spec.spawn?.name).toMatch(/^s-[0-9a-f]{6}$/);
    expect(second.spec.spawn?.name).not.toBe(first.spec.spawn?.name);
  });
});
