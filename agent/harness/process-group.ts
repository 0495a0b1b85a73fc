/**
 * An agent is several processes: an adapter, the program that it drives, and what that runs. They share a process group, so
 * that none outlives the one that is spoken to: a leftover that still works on the same files and conversation would do
 * things twice, and an agent that finds its conversation held by another takes it for gone.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Kills all that is left of the group that `pid` leads. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

/** When the process began, in the kernel's ticks: with it, a process id is not taken for another's. */
function beginningOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** Notes in `file` that the group of `pid` works now. */
export function noteGroup(file: string, pid: number | undefined): void {
  if (pid !== undefined) writeFileSync(file, `${pid} ${beginningOf(pid)}\n`);
}

/** Ends what an earlier harness, which was killed, left running; says whether there was anything. */
export function endLeftover(file: string): boolean {
  let noted: string;
  try {
    noted = readFileSync(file, 'utf8').trim();
  } catch {
    return false;
  }
  rmSync(file, { force: true });
  const [pid, beginning] = noted.split(' ');
  if (!pid || !beginning || beginningOf(Number(pid)) !== beginning) return false;
  killGroup(Number(pid));
  return true;
}
