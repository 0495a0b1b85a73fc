import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CONTINUE, FORGOTTEN } from '../../agent/harness/prompt.ts';
import { it } from './pod-test.ts';
import { script, setStage } from './stage.ts';

const { podWith } = setStage();

describe.concurrent('SIGKILL', () => {
  const gate = (name: string) => ({ waitFor: { file: `.git/${name}` } });

  it('of the harness at each step of a script: the prompt is received once, and each step is done once', async ({
    makePod,
  }) => {
    const steps = [
      { edit: { file: 'list', append: 'a\n' } },
      gate('g1'),
      { run: 'echo b >> list' },
      gate('g2'),
      { commit: 'Add the list' },
      gate('g3'),
    ];
    const prompt = script(...steps, { say: 'the end' });
    const pod = await podWith(makePod, { prompt }).start();
    for (const [at, name] of [
      [1, 'g1'],
      [3, 'g2'],
      [5, 'g3'],
    ] as const) {
      await pod.until(() => pod.conversations()[0]?.at === at);
      await pod.end('SIGKILL');
      await pod.start();
      await pod.until(() => pod.prompts().length === (at + 1) / 2 + 1);
      pod.write(`.git/${name}`);
    }
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.file('list')).toBe('a\nb\n');
    expect(pod.prompts()).toEqual([prompt, CONTINUE, CONTINUE, CONTINUE]);
    expect(pod.conversations()).toHaveLength(1);
    expect(pod.api.session().status?.result).toMatchObject({ summary: 'the end', commits: 1, filesChanged: 1 });
  });

  it('of the agent: the harness starts it again by itself', async ({ makePod }) => {
    const prompt = script(
      { edit: { file: 'a', append: '1\n' } },
      { crash: true },
      { edit: { file: 'a', append: '2\n' } },
    );
    const pod = await podWith(makePod, { prompt }).start();
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.file('a')).toBe('1\n2\n');
    expect(pod.prompts()).toEqual([prompt, CONTINUE]);
  });

  it('of the harness by a step of the script', async ({ makePod }) => {
    const prompt = script({ crash: 'harness' }, { say: 'alive' });
    const pod = await podWith(makePod, { prompt }).start();
    await pod.until(() => !pod.isRunning);
    await pod.start();
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.prompts()).toEqual([prompt, CONTINUE]);
  });

  it('of an agent that can not load its conversation: it is told what happened', async ({ makePod }) => {
    const prompt = script({ say: 'begin' }, gate('g'));
    const pod = await podWith(makePod, { prompt, agent: { args: ['--no-load'] } }).start();
    await pod.until(() => pod.conversations()[0]?.at === 1);
    await pod.end('SIGKILL');
    pod.write('.git/g');
    await pod.start();
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.prompts().toSorted()).toEqual([prompt, `${FORGOTTEN}\n${prompt}`].toSorted());
  });

  it('that left a part of the journal: nothing is done twice', async ({ makePod }) => {
    const prompt = script({ edit: { file: 'a', append: 'x' } }, { commit: 'Add a' });
    const pod = await podWith(makePod, { prompt }).start();
    await pod.finished();
    await pod.end('SIGKILL');
    const file = join(pod.folder, 'state', pod.api.session().metadata.uid, 'journal.jsonl');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    for (const [kept, torn] of [
      [3, ''],
      [3, '{"type":"end'],
      [4, ''],
    ] as const) {
      writeFileSync(file, `${lines.slice(0, kept).join('\n')}\n${torn}`);
      await pod.start();
      await pod.until(() => pod.journal().some(({ type }) => type === 'finished'));
      await pod.end('SIGKILL');
    }
    expect(pod.file('a')).toBe('x');
    expect(pod.prompts().filter((text) => text.includes('commit'))).toEqual([prompt]);
    expect(pod.api.session().status?.result).toMatchObject({ commits: 1 });
  });

  it('in the middle of a clone: it is begun anew', async ({ makePod }) => {
    const pod = podWith(makePod, { prompt: script({ say: 'hi' }) });
    mkdirSync(join(pod.folder, 'work', '.cloning', '.git'), { recursive: true });
    await pod.start();
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.file('README.md')).toBe('one\ntwo\n');
  });
});

describe.concurrent('SIGTERM', () => {
  it('leaves the turn open, is no failure, and exits with 0', async ({ makePod }) => {
    const prompt = script({ say: 'hm' }, { waitFor: { file: 'go' } });
    const pod = await podWith(makePod, { prompt }).start();
    await pod.until(() => pod.conversations()[0]?.at === 1);
    expect(await pod.end('SIGTERM')).toBe(0);
    expect(pod.journal().at(-1)).toEqual({ type: 'stopped' });
    pod.write('go');
    await pod.start();
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.prompts()).toEqual([prompt, CONTINUE]);
  });
});
