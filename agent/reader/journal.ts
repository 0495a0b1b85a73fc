/**
 * The journal that a Session begins with that goes on from another: the agent's conversation is known and one turn of it
 * has ended, so that the first prompt is said into it. The turns, answers and the end of the other Session are not its own.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openJournal, progressOf } from '../harness/journal.ts';

/** Writes it into the folder `state`, from the text of the other's, which stays beside it. */
export function goOnFrom(text: string, state: string): void {
  const imported = join(state, 'imported.jsonl');
  writeFileSync(imported, text);
  const { agentSession, sessionKept, last } = progressOf(openJournal(imported).records);
  const journal = openJournal(join(state, 'journal.jsonl'));
  if (agentSession === undefined || !sessionKept) return;
  journal.append({ type: 'session', id: agentSession });
  journal.append({ type: 'ended', turn: 1, at: Date.now(), stopReason: 'imported', summary: last?.summary ?? '' });
}
