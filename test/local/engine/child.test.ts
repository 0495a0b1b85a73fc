/** The engine's programs end with the process that started them, however that ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pidFileOf, startChild } from '../../../local/engine/child.ts';
import { EngineFailed, Group } from '../../../local/engine/group.ts';

const CHILD = join(import.meta.dirname, '../../../local/engine/child.ts');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tiny-child-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** A process that starts `sleep` as the engine's programs are started; the sleep's pid. */
async function parent(): Promise<{ process: ChildProcess; pid: number }> {
  const program = `import { startChild } from ${JSON.stringify(CHILD)}; startChild('/bin/sleep', ['1000'], ${JSON.stringify(folder)}); setInterval(() => {}, 1000);`;
  const started = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
  const file = pidFileOf(folder, 'sleep');
  while (!existsSync(file) || !readFileSync(file, 'utf8').includes('\n')) await setTimeout(10);
  return { process: started, pid: Number.parseInt(readFileSync(file, 'utf8'), 10) };
}

test('a program ends when its parent is killed', async () => {
  const started = await parent();
  expect(isAlive(started.pid)).toBe(true);
  started.process.kill('SIGKILL');
  await once(started.process, 'exit');
  while (isAlive(started.pid)) await setTimeout(10);
});

test('a program that is told to end leaves no pid file', async () => {
  const child = startChild('/bin/sleep', ['1000'], folder);
  while (!existsSync(pidFileOf(folder, 'sleep'))) await setTimeout(10);
  await child.end(5000);
  expect(existsSync(pidFileOf(folder, 'sleep'))).toBe(false);
});

test('a program that does not heed SIGTERM is killed', async () => {
  const child = startChild('/bin/sh', ['-c', 'trap "" TERM; echo deaf; while :; do sleep 0.1; done'], folder);
  while (!readFileSync(join(folder, 'sh.log'), 'utf8').includes('deaf')) await setTimeout(10);
  await child.end(50);
  expect(await child.exited).toBe('deaf');
});

test('a program that ends before it is ready fails the start, with the end of its log', async () => {
  const group = new Group(folder, () => undefined);
  const failed = group.run('/bin/sh', ['-c', 'echo no space left; exit 1'], () => new Promise(() => undefined));
  await expect(failed).rejects.toThrow(EngineFailed);
  await expect(failed).rejects.toThrow(/sh ended before it was ready:\nno space left\nIts log is .*sh\.log/);
});

test('a program that ends by itself is told of, and one that was asked to is not', async () => {
  const said: string[] = [];
  const group = new Group(folder, (line) => said.push(line));
  const child = await group.run('/bin/sleep', ['1000'], async () => existsSync(pidFileOf(folder, 'sleep')));
  await group.end(child, 5000);
  const other = await group.run('/bin/sh', ['-c', 'echo oh; sleep 0.2'], async () => true);
  await other.exited;
  expect(said).toEqual(['sh has ended:\noh']);
});
