/**
 * What became of the clone, as a file beside it: the container that clones has no way to tell it, so the harness reads
 * it there. The agent can write to it too; it is read as data and decides nothing but what is said of the agent's own work.
 */
import { closeSync, constants, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { syncFolder } from '../json-lines.ts';

const outcome = z.union([
  z.object({
    branch: z.string().min(1).max(255),
    /** The commit that the branch starts at. */
    base: z.string().regex(/^[0-9a-f]{40,64}$/),
    /** What a person should know though it went well. */
    note: z.string().max(1024).optional(),
  }),
  z.object({ refused: z.string().min(1).max(4096) }),
]);
export type CloneOutcome = z.infer<typeof outcome>;

const fileOf = (workspace: string) => join(workspace, 'clone.json');

/** What the last clone left; `undefined` where there is nothing readable. */
export function readOutcome(workspace: string): CloneOutcome | undefined {
  try {
    // Nothing is waited for that an agent may have put there, such as a pipe.
    const file = openSync(fileOf(workspace), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return outcome.parse(JSON.parse(readFileSync(file, 'utf8')));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** Writes it whole; what lies at its name before, a link included, is replaced and not followed. */
export function writeOutcome(workspace: string, told: CloneOutcome): void {
  const half = `${fileOf(workspace)}.new`;
  rmSync(half, { recursive: true, force: true });
  const file = openSync(half, 'wx', 0o644);
  writeFileSync(file, JSON.stringify(told));
  fsyncSync(file);
  closeSync(file);
  rmSync(fileOf(workspace), { recursive: true, force: true });
  renameSync(half, fileOf(workspace));
  syncFolder(workspace);
}
