import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cut, cutStart } from '../../agent/cut.ts';
import { makeReporter, mergePatch } from '../../agent/harness/reporter.ts';
import { passesWhenAsked, type StatusPatch, type ToolsClient, ToolsError } from '../../agent/harness/tools-client.ts';
import { LockedError, lockFolder } from '../../agent/lock.ts';
import { trackOccurrences } from '../../agent/occurrences.ts';
import { poll, pollDelay } from '../../agent/polling.ts';
import { readScript } from '../../agent/rehearsal/script.ts';
import { optionIds } from '../../agent/tools/tool-ask.ts';
import { childSpec } from '../../agent/tools/tool-spawn.ts';
import { type Session, sessionSpec } from '../../lib/api/session.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A clock that only sleeps move. */
function movedClock() {
  let time = 0;
  const sleeps: number[] = [];
  const sleep = async (ms: number) => {
    time += ms;
    sleeps.push(ms);
  };
  return { now: () => time, random: () => 0, sleep, sleeps };
}

describe('polling', () => {
  it('backs off from a quarter of a second to 15 seconds, at most about 80 looks in ten minutes', async () => {
    const clock = movedClock();
    await poll(async () => (clock.now() > 600_000 ? true : undefined), { clock, signal: new AbortController().signal });
    expect(clock.sleeps[0]).toBe(250);
    expect(clock.sleeps.at(-1)).toBe(15_000);
    expect(clock.sleeps.length).toBeLessThan(80);
    expect(pollDelay(8000)).toBe(2000);
  });
});

it('tells the same question again from the same question anew', () => {
  let delivered = 0;
  const occurrences = trackOccurrences(() => delivered);
  const gone = new AbortController();
  const first = occurrences.take('a', gone.signal);
  const second = occurrences.take('a', new AbortController().signal);
  expect([first.occurrence, second.occurrence]).toEqual([0, 1]);
  gone.abort();
  const again = occurrences.take('a', new AbortController().signal);
  expect(again.occurrence).toBe(0);
  first.release();
  expect(occurrences.take('a', new AbortController().signal).occurrence).toBe(2);
  again.release();
  second.release();
  delivered = 1;
  expect(occurrences.take('a', new AbortController().signal).occurrence).toBe(1);
});

describe('the lock of a folder', () => {
  it('keeps a second one out, and is gone with its holder', () => {
    const free = lockFolder(folder, 0);
    expect(() => lockFolder(folder, 0)).toThrow(LockedError);
    free();
    const hold = `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(join(folder, 'lock'))}).exec('BEGIN EXCLUSIVE'); process.kill(process.pid, 'SIGKILL')`;
    expect(() => execFileSync(process.execPath, ['-e', hold], { stdio: 'ignore' })).toThrow();
    lockFolder(folder, 0)();
  });
});

describe('the reporter', () => {
  const wait = () => ({ clock: movedClock(), signal: new AbortController().signal });
  const ready = (reason: string): StatusPatch => ({
    conditions: [{ type: 'Ready', status: 'True', reason, message: '' }],
  });

  it('merges what is told in one breath, and loses nothing when the tools are away', async () => {
    const told: StatusPatch[] = [];
    let away = 3;
    const tell = async (patch: StatusPatch) => {
      away -= 1;
      if (away === 1) reporter.tell({ message: 'later' });
      if (away >= 0) throw new Error('connect ENOENT');
      told.push(patch);
    };
    const reporter = makeReporter({ tell } as unknown as ToolsClient, wait(), () => {});
    reporter.note({ messagesRead: 1 });
    reporter.tell(ready('Working'));
    reporter.tell(ready('Idle'));
    await reporter.flush();
    expect(told).toEqual([{ messagesRead: 1, message: 'later', ...ready('Idle') }]);
  });

  it.each([401, 408, 409, 429, 500, 503])(
    'tells again what the tools answer with %i, the last report too',
    async (code) => {
      const told: StatusPatch[] = [];
      let left = 50;
      const tell = async (patch: StatusPatch) => {
        left -= 1;
        if (left >= 0) throw new ToolsError(code, 'not now');
        told.push(patch);
      };
      const reporter = makeReporter({ tell } as unknown as ToolsClient, wait(), () => {});
      reporter.tell(ready('Finished'));
      await reporter.flush();
      expect(told).toEqual([ready('Finished')]);
    },
  );

  it('gives up what is refused for good, and says so', async () => {
    const log: string[] = [];
    const tell = () => Promise.reject(new ToolsError(422, 'no such thing'));
    const reporter = makeReporter({ tell } as unknown as ToolsClient, wait(), (line) => log.push(line));
    reporter.tell(ready('Idle'));
    await reporter.flush();
    expect(log).toEqual([expect.stringContaining('no such thing')]);
  });

  it('keeps conditions apart by type', () => {
    const merged = mergePatch(ready('A'), {
      conditions: [{ type: 'Waiting', status: 'False', reason: 'B', message: '' }],
    });
    expect(merged.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Waiting']);
  });
});

it('a Question whose name is taken by another is not asked for again', () => {
  expect(passesWhenAsked(new ToolsError(409, ''))).toBe(false);
  expect(passesWhenAsked(new ToolsError(401, ''))).toBe(true);
});

it('makes ids that a person can type out of options', () => {
  expect(optionIds(['Yes, please!', 'yes please', '否', '--', `${'a'.repeat(39)} b`])).toEqual([
    'yes-please',
    'yes-please-2',
    'option-3',
    'option-4',
    'a'.repeat(39),
  ]);
});

it('cuts text without splitting a character', () => {
  expect([cut('ab\u{1f600}', 3), cut('ab\u{1f600}', 4), cut('ab', 3)]).toEqual(['ab', 'ab\u{1f600}', 'ab']);
  expect([cutStart('\u{1f600}ab', 3), cutStart('\u{1f600}ab', 4)]).toEqual(['ab', '\u{1f600}ab']);
  expect(cut('a\ud83db', 3)).toBe('a\ufffdb');
});

describe("a child's spec", () => {
  const parent = {
    spec: sessionSpec.parse({
      prompt: 'p',
      agent: { name: 'codex', model: 'm' },
      repository: { url: 'https://git.example/x', ref: 'main', credentialsSecret: 'secret' },
      storage: { dataSource: { kind: 'PersistentVolumeClaim', name: 'seed' } },
      suspend: true,
      parent: 'grandparent',
      requester: { username: 'alice' },
      messages: [{ id: 'a', text: 'b' }],
    }),
  } as Session;

  it("is the parent's as far as a person asks for it", () => {
    const child = childSpec(parent, { prompt: 'q' });
    expect(child).toMatchObject({
      prompt: 'q',
      agent: { name: 'codex', model: 'm' },
      repository: { credentialsSecret: 'secret' },
    });
    expect(child).not.toHaveProperty('suspend');
    expect(child).not.toHaveProperty('requester');
    expect(child).not.toHaveProperty('messages');
    expect(child.storage).not.toHaveProperty('dataSource');
  });

  it('gives credentials to no other repository, and a model to no other agent', () => {
    const child = childSpec(parent, { prompt: 'q', agent: 'rehearsal', repository: { url: 'https://evil.example/x' } });
    expect(child.repository).toEqual({ url: 'https://evil.example/x', depth: 1 });
    expect(child.agent).toEqual({ name: 'rehearsal' });
  });
});

describe('the script of a rehearsal', () => {
  it.each([
    ['fix the bug', 'words'],
    ['say: hello', 'script'],
    ['fix: the bug', 'words'],
    ['- fix the bug\n- add a test', 'words'],
    ['{ unbalanced: [', 'words'],
    ['- say: hi\n- crash: harness\n- wait: 0.5', 'script'],
    ['- say: hi\n- sing: loud', 'wrong'],
    ['- edit: { file: a }', 'wrong'],
  ])('%j is %s', (text, kind) => {
    expect(readScript(text).kind).toBe(kind);
  });
});
