/** The volume: one pod works on it at a time, and one that is full keeps what was written on it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Disk, openJsonLines } from '../../agent/json-lines.ts';
import { lockPatiently } from '../../agent/lock.ts';
import { mergeStatus } from '../../agent/tools/status-writer.ts';
import { systemClock } from '../../lib/kube/clock.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'volume-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('two pods of one Session', () => {
  const LOCK = pathToFileURL(join(import.meta.dirname, '../../agent/lock.ts')).href;

  /** Another process that has the lock. */
  async function first() {
    const program = `import { lockFolder } from '${LOCK}'; lockFolder(${JSON.stringify(folder)}, 0); console.log('locked'); setInterval(() => {}, 1e6);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    return child;
  }

  it('work one after the other: the second waits until the first is gone, however it ends', async () => {
    const child = await first();
    const logged: string[] = [];
    let sleeps = 0;
    const ended = once(child, 'exit');
    const clock = {
      ...systemClock,
      sleep: async () => {
        sleeps += 1;
        if (sleeps < 3) return;
        child.kill('SIGKILL');
        await ended;
      },
    };
    const { signal } = new AbortController();
    expect(await lockPatiently(folder, { clock, signal, log: (line) => void logged.push(line) })).toBe(true);
    expect([sleeps, logged]).toEqual([3, [expect.stringContaining('this one waits until it has ended')]]);
  });

  it('end when they are told to, the one that waits too', async () => {
    const child = await first();
    const stop = new AbortController();
    const clock = { ...systemClock, sleep: async () => stop.abort() };
    expect(await lockPatiently(folder, { clock, signal: stop.signal, log: () => {} })).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
});

describe('a full volume', () => {
  const line = z.object({ n: z.int() });
  /** A disk with room for so many bytes, which takes what fits and then refuses. */
  const small = (room: { left: number }): Disk => ({
    write(file, bytes, offset) {
      if (room.left === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      const taken = writeSync(file, bytes, offset, Math.min(room.left, bytes.length - offset));
      room.left -= taken;
      return taken;
    },
    sync: () => {},
  });

  it('keeps whole lines alone, whatever of a line it had room for', () => {
    for (let left = 0; left < 8; left += 1) {
      const file = join(folder, `${left}.jsonl`);
      openJsonLines(file, line).append({ n: 1 });
      const room = { left };
      const lines = openJsonLines(file, line, small(room));
      expect(() => lines.append({ n: 2 })).toThrow('ENOSPC');
      expect(readFileSync(file, 'utf8')).toBe('{"n":1}\n');
      expect(lines.records).toEqual([{ n: 1 }]);
      room.left = 100;
      lines.append({ n: 3 });
      expect(openJsonLines(file, line).records).toEqual([{ n: 1 }, { n: 3 }]);
    }
  });

  it('is refused too when only synchronising tells of it, as on a network filesystem', () => {
    const file = join(folder, 'nfs.jsonl');
    const quota = () => {
      throw Object.assign(new Error('EDQUOT'), { code: 'EDQUOT' });
    };
    const lines = openJsonLines(file, line, { ...small({ left: 100 }), sync: quota });
    expect(() => lines.append({ n: 1 })).toThrow('EDQUOT');
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});

it('what is waited for is told until nothing is', () => {
  const before = mergeStatus({}, { waitingFor: ['q'], conditions: [] }, new Date(0));
  expect(mergeStatus(before, { conditions: [] }, new Date(0))).toMatchObject({ waitingFor: ['q'] });
  expect(mergeStatus(before, { waitingFor: [] }, new Date(0))).toMatchObject({ waitingFor: [] });
});
