/**
 * The journal that a Session begins with that goes on from another: the agent's conversation is known, so that the first
 * prompt is said into it, and what its counters stand at. The turns, answers, use and end of the other are not its own.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromMillionths } from '../../lib/api/budget.ts';
import { openJournal, progressOf } from '../harness/journal.ts';

/** Writes it into the folder `state`, from the text of the other's, which stays beside it. */
export function goOnFrom(text: string, state: string): void {
  const imported = join(state, 'imported.jsonl');
  writeFileSync(imported, text);
  const { agentSession, sessionKept, spent } = progressOf(openJournal(imported).records);
  const journal = openJournal(join(state, 'journal.jsonl'));
  if (agentSession === undefined || !sessionKept) return;
  const costs = [...spent.readings].map(([currency, read]) => ({ amount: fromMillionths(read), currency }));
  journal.append({ type: 'imported', id: agentSession, costs });
}
