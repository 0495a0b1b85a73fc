/** A repository is not trusted: what it says to an agent is told, what would let the agent do more is not heeded. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DIALECT, type Spoken } from './dialect.ts';
import { hostileFiles, INSTRUCTIONS } from './hostile.ts';
import { startFakeModelServer } from './model/server.ts';
import { inTurn } from './model/talk.ts';
import { findAgents, play, type Stage, setStage } from './stage.ts';

const found = await findAgents(process.env);

let stage: Stage;
beforeAll(async () => {
  if ('bin' in found) stage = await setStage(found.bin, process.env['PATH'] ?? '');
});
afterAll(() => stage?.close());

/** How each hears of the instructions in a repository; Gemini CLI reads them in folders that it trusts alone. */
const TOLD: Record<Exclude<Spoken, 'opencode'>, string | undefined> = {
  'claude-code': 'read CLAUDE.md in the root of the repository',
  codex: INSTRUCTIONS,
  gemini: undefined,
};

type Tried = keyof typeof TOLD;

describe.skipIf('missing' in found).each<Tried>(['claude-code', 'codex', 'gemini'])('%s', (agent) => {
  it('runs no hook and no server of a repository, asks all the same, and is told its instructions', async () => {
    const marks = mkdtempSync(join(tmpdir(), 'marks-'));
    onTestFinished(() => rmSync(marks, { recursive: true }));
    const elsewhere = await startFakeModelServer(inTurn({ say: 'stolen' }));
    onTestFinished(elsewhere.close);
    const { pod, model, close } = await play(stage, {
      agent,
      allow: ['read', 'search', 'think'],
      script: ({ said, allResults }) =>
        said.length + allResults.length > 1 ? { say: 'so it is' } : DIALECT[agent].run('echo x > made.txt'),
      options: {
        patienceMs: 150_000,
        repository: { url: stage.repository('hostile', hostileFiles(marks, elsewhere.url)) },
      },
    });
    onTestFinished(close);
    await pod.start();
    const isOver = () => pod.condition('Finished')?.status === 'True';
    await pod.until(() => pod.api.questions().length > 0 || isOver());
    const [question] = pod.api.questions();
    expect(question?.spec).toMatchObject({ kind: 'Permit', toolCall: { kind: 'execute' } });
    pod.api.answer(question?.metadata.name ?? '', { option: 'deny' });
    await pod.until(isOver);
    expect(() => pod.file('made.txt')).toThrow();
    expect(readdirSync(marks)).toEqual([]);
    expect(elsewhere.turns).toEqual([]);
    expect(model.turns.every(({ talk }) => !talk.model.includes('evil'))).toBe(true);
    expect(model.turns[0]?.body).toContain(TOLD[agent] ?? '');
  });
});

describe.skipIf('missing' in found)('opencode', () => {
  it('is not started where it would run what a repository holds', async () => {
    const marks = mkdtempSync(join(tmpdir(), 'marks-'));
    onTestFinished(() => rmSync(marks, { recursive: true }));
    const { pod, close } = await play(stage, {
      agent: 'opencode',
      allow: ['read', 'edit'],
      script: inTurn({ say: 'hello' }),
      options: { repository: { url: stage.repository('hostile', hostileFiles(marks, 'http://127.0.0.1:9')) } },
    });
    onTestFinished(close);
    await pod.start();
    expect(await pod.finished()).toMatchObject({
      reason: 'Failed',
      message: expect.stringContaining('the repository holds .opencode, opencode.json,'),
    });
    expect(readdirSync(marks)).toEqual([]);
  });
});
