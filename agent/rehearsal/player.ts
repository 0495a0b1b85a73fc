/** Plays a script from the step it is at; a prompt of plain words goes into the file NOTES. */
import { CONTINUE } from '../harness/prompt.ts';
import { readScript } from './script.ts';
import type { State } from './state.ts';
import { act, type Stage } from './steps.ts';

export interface Player {
  state: State;
  save: () => void;
  /** The stage for the step that the state is at. */
  stage: () => Stage;
}

/**
 * Answers one prompt. What is said to an agent after a kill goes on with the script; a script in the last block
 * starts it, unless it is the one that is being played. Throws where a script is wrong.
 */
export async function answerPrompt({ state, save, stage }: Player, blocks: readonly string[]): Promise<void> {
  const text = blocks.at(-1) ?? '';
  state.history.push({ by: 'user', text: blocks.join('\n') });
  save();
  if (!text.startsWith(CONTINUE)) begin(state, text);
  save();
  while (state.at < state.steps.length) {
    const step = state.steps[state.at];
    if (step) await act(step, stage());
    state.at += 1;
    delete state.begun;
    save();
  }
}

function begin(state: State, text: string): void {
  const script = readScript(text);
  delete state.begun;
  state.at = 0;
  state.steps = [];
  if (script.kind === 'script') state.steps = script.steps;
  else if (script.kind === 'wrong') throw new Error(script.message);
  else {
    state.steps = [
      {
        say: 'This is a rehearsal: no model works here. The prompt is no script, so it is written into the file NOTES.',
      },
      { edit: { file: 'NOTES', append: `${text}\n` } },
      { commit: 'Note what was asked' },
    ];
  }
}
