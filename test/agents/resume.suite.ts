import { appendFileSync, globSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openJournal } from '../../agent/harness/journal.ts';
import { MAX_RESUMES } from '../../agent/harness/next.ts';
import { killGroup } from '../../agent/harness/process-group.ts';
import { SESSION_UID } from '../agent/pretended-api.ts';
import { DIALECT } from './dialect.ts';
import { playWithKills, seeded } from './kills.ts';
import { inTurn } from './model/talk.ts';
import { findAgents, type Play, play, type Stage, setStage } from './stage.ts';

const found = await findAgents(process.env);

let stage: Stage;
beforeAll(async () => {
  if ('bin' in found) stage = await setStage(found.bin, process.env['PATH'] ?? '');
});
afterAll(() => stage?.close());

/** The agent's own record of its conversations. */
const TRANSCRIPTS: Record<'claude-code' | 'codex', string> = {
  'claude-code': '.claude/projects/*/*.jsonl',
  codex: '.codex/sessions/**/rollout-*.jsonl',
};

const transcripts = ({ pod }: Play, agent: keyof typeof TRANSCRIPTS): string[] => {
  const home = join(pod.folder, 'home');
  return globSync(TRANSCRIPTS[agent], { cwd: home }).map((name) => join(home, name));
};

type Damage = (files: string[], home: string) => void;
const DAMAGES: [string, Damage][] = [
  [
    'whose last line is torn',
    (files) => {
      for (const file of files) truncateSync(file, readFileSync(file).length - 20);
    },
  ],
  [
    'that ends in NUL bytes',
    (files) => {
      for (const file of files) appendFileSync(file, Buffer.alloc(4096));
    },
  ],
  [
    'that is gone',
    (files, home) => {
      for (const file of files) rmSync(file);
      for (const name of globSync('.codex/*.sqlite*', { cwd: home })) rmSync(join(home, name));
    },
  ],
];

describe.skipIf('missing' in found).each<keyof typeof TRANSCRIPTS>(['claude-code', 'codex'])('%s', (agent) => {
  const { freely: shell } = DIALECT[agent];

  it('is killed at random moments of 30 steps, alone and with its container: nothing is told twice, nothing lost', async () => {
    const random = seeded(agent === 'codex' ? 7 : 11);
    const run = await playWithKills(stage, {
      agent,
      kills: 3,
      random,
      victim: (kill) => (kill % 2 === 0 ? 'harness' : 'agent'),
    });
    expect(run).toMatchObject({ end: 'Completed', promptsSentTwice: 0, editsLost: 0 });
  });

  it.each(DAMAGES)('has a transcript %s after a kill: the task is done all the same', async (_name, damage) => {
    const script = inTurn(
      shell('grep -qx one list || echo one >> list'),
      shell('grep -qx two list || echo two >> list'),
      { say: 'both are there' },
    );
    const played = await play(stage, { agent, script });
    onTestFinished(played.close);
    const { pod, model } = played;
    await pod.start();
    await pod.until(() => model.turns.length === 2);
    const agentPid = Number(readFileSync(join(pod.folder, 'run', 'agent.pid'), 'utf8').split(' ')[0]);
    await pod.end('SIGKILL');
    killGroup(agentPid);
    const files = transcripts(played, agent);
    expect(files).not.toEqual([]);
    damage(files, join(pod.folder, 'home'));
    await pod.start();
    expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
    expect(pod.file('list')).toBe('one\ntwo\n');
    const bare = model.turns.filter(({ talk }) => talk.said[0]?.trim() === 'begin the task');
    expect(new Set(bare.map(({ conversation }) => conversation)).size).toBe(1);
  });

  it('is resumed a bounded number of times; then the Session has failed, says why, and a message goes on', async () => {
    const played = await play(stage, {
      agent,
      script: ({ said }) => {
        if (said.at(-1)?.includes('try again')) return { say: 'better' };
        // Killed this early, it may have kept nothing of the conversation, and is told so.
        return said.join().includes('process was ended') ? { say: 'I go on' } : shell('sleep 600');
      },
    });
    onTestFinished(played.close);
    const { pod, model } = played;
    await pod.start();
    await pod.until(() => model.turns.length === 1);
    const agentPid = Number(readFileSync(join(pod.folder, 'run', 'agent.pid'), 'utf8').split(' ')[0]);
    await pod.end('SIGKILL');
    killGroup(agentPid);
    // As many as there may be have been before.
    const journal = openJournal(join(pod.folder, 'state', SESSION_UID, 'journal.jsonl'));
    for (let time = 0; time < MAX_RESUMES; time += 1) journal.append({ type: 'prompt', turn: 1, from: 'prompt' });
    await pod.start();
    const end = await pod.finished();
    expect(end).toMatchObject({ reason: 'Failed', message: expect.stringContaining(`resumed ${MAX_RESUMES} times`) });
    expect(model.turns).toHaveLength(1);
    pod.api.say('try again');
    await pod.until(() => pod.api.session().status?.result?.summary === 'better');
  });
});
