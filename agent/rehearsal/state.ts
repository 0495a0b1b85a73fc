/**
 * A rehearsal's conversations, one JSON file each under `$HOME/.rehearsal`: what was said, each prompt as it was
 * received, and the step that the script is at. It is written around each step, so that a resume goes on there.
 */
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { STEP_NAMES, type Step } from './script.ts';

const state = z.object({
  id: z.string(),
  /** Everything said; what is by the user are the prompts, each once for each time it was received. */
  history: z.array(z.object({ by: z.enum(['user', 'agent']), text: z.string() })),
  /** The script that is being played. */
  steps: z.array(
    z.custom<Step>((one) => typeof one === 'object' && one !== null && STEP_NAMES.some((name) => name in one)),
  ),
  /** The step that it is at. */
  at: z.int(),
  /** What the step at `at` has done so far. */
  begun: z
    .object({
      size: z.int().optional(),
      allowed: z.boolean().optional(),
      why: z.string().optional(),
      crashed: z.boolean().optional(),
    })
    .optional(),
});
export type State = z.infer<typeof state>;

export interface Conversations {
  create(id: string): State;
  load(id: string): State | undefined;
  /** On the disk when it returns. */
  save(state: State): void;
}

/** The folder of the conversations. */
export const conversationsFolder = (home: string): string => join(home, '.rehearsal');

/** Conversations below `home`. */
export function conversations(home: string): Conversations {
  const folder = conversationsFolder(home);
  mkdirSync(folder, { recursive: true });
  const path = (id: string) => join(folder, `${id.replaceAll(/[^A-Za-z0-9-]/g, '_')}.json`);
  const save = (one: State) => {
    const handle = openSync(`${path(one.id)}.new`, 'w', 0o600);
    writeSync(handle, JSON.stringify(one));
    fsyncSync(handle);
    closeSync(handle);
    renameSync(`${path(one.id)}.new`, path(one.id));
  };
  return {
    create(id) {
      const one: State = { id, history: [], steps: [], at: 0 };
      save(one);
      return one;
    },
    load(id) {
      try {
        return state.parse(JSON.parse(readFileSync(path(id), 'utf8')));
      } catch {
        return undefined;
      }
    },
    save,
  };
}
