/** Measures one process of a server: how long until it answers, and how much memory it has then. */
import { execFileSync } from 'node:child_process';
import { type Ask, startProgram } from '../build/program.ts';

export interface Start {
  /** From spawn to the end of the first answer, milliseconds. */
  ms: number;
  /** Resident memory after it, MB. */
  memory: number;
  status: number;
}

/** Resident memory of a process now, MB. */
export const memoryOf = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;

/** Starts `node FILE`, asks once, ends it. */
export async function start(file: string, env: Record<string, string>, what: Ask): Promise<Start> {
  const program = await startProgram([file], env);
  try {
    const status = await program.ask(what);
    return { ms: performance.now() - program.began, memory: memoryOf(program.pid), status };
  } finally {
    await program.end();
  }
}
