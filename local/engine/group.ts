/** The programs of one engine: started one after the other, each when the one before is ready, and ended in turn. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { endLeftover } from '../node/leftover.ts';
import { PROGRAMS } from './binaries.ts';
import { type Child, pidFileOf, startChild } from './child.ts';

/** A program of the engine has ended by itself. */
export class EngineFailed extends Error {
  override name = 'EngineFailed';
}

const READY_MS = 60_000;
const STEP_MS = 25;
/** How long a program that an earlier run left has to end; a kill loses nothing. Milliseconds. */
const LEFTOVER_MS = 2000;

/** Waits until `isReady`. Throws `EngineFailed` where the program ends first, or takes too long. */
async function ready(child: Child, folder: string, isReady: () => Promise<boolean>): Promise<void> {
  const log = `Its log is ${join(folder, `${child.name}.log`)}.`;
  const ended = child.exited.then((said) => {
    throw new EngineFailed(`${child.name} ended before it was ready:\n${said}\n${log}`);
  });
  ended.catch(() => undefined);
  for (const until = Date.now() + READY_MS; Date.now() < until; await Promise.race([ended, setTimeout(STEP_MS)]))
    if (await Promise.race([ended, isReady()])) return;
  throw new EngineFailed(`${child.name} is not ready after ${READY_MS / 1000} s. ${log}`);
}

/** Ends what a killed process left of the engine in `folder`. */
export async function endEngineLeftovers(folder: string): Promise<void> {
  const files = Object.values(PROGRAMS).map((name) => pidFileOf(folder, name));
  await Promise.all(files.filter((file) => existsSync(file)).map((file) => endLeftover(file, LEFTOVER_MS)));
}

/** Runs the programs of the engine in one folder. `log` is told when one ends that was not asked to. */
export class Group {
  private readonly children: Child[] = [];
  private readonly asked = new Set<Child>();
  private readonly folder: string;
  private readonly log: (line: string) => void;

  constructor(folder: string, log: (line: string) => void) {
    this.folder = folder;
    this.log = log;
  }

  /** Starts a program and waits until it is ready. Throws `EngineFailed`. */
  async run(program: string, args: readonly string[], isReady: () => Promise<boolean>): Promise<Child> {
    const child = startChild(program, args, this.folder);
    this.children.push(child);
    await ready(child, this.folder, isReady);
    void child.exited.then((said) => this.asked.has(child) || this.log(`${child.name} has ended:\n${said}`));
    return child;
  }

  async end(child: Child, graceMs: number): Promise<void> {
    this.asked.add(child);
    await child.end(graceMs);
  }

  /** Ends all, the last started first. */
  async stop(graceMs: number): Promise<void> {
    for (const child of this.children.toReversed()) await this.end(child, graceMs);
  }
}
