/** What the rehearsal agents play. Their work is real: files, commands and commits in a clone of a real repository. */
import { stringify } from 'yaml';

/** Works, commits, and asks for help with the rest. */
export const GREETING = stringify([
  { say: 'I add a greeting to the documentation.' },
  { status: 'writing docs/greeting.md' },
  { edit: { file: 'docs/greeting.md', text: '# Hello\n\nWritten by a rehearsal, in a real clone.\n' } },
  { run: 'git log -1 --oneline' },
  { commit: 'Add a greeting' },
  { status: 'asking for help with a farewell' },
  {
    spawn: {
      name: 'farewell',
      prompt: stringify([
        { edit: { file: 'docs/farewell.md', text: 'Good-bye\n' } },
        { commit: 'Add a farewell' },
        { say: 'Good-bye.' },
      ]),
    },
  },
  { say: 'The greeting is committed.' },
]);

/** Is killed half-way, goes on where it was, and asks once more. */
export const SURVIVOR = stringify([
  { edit: { file: 'docs/first.md', text: 'before the kill\n' } },
  { commit: 'Work before the kill' },
  { status: 'half-way' },
  { wait: 1.5 },
  { edit: { file: 'docs/second.md', text: 'after the kill\n' } },
  { commit: 'Work after the kill' },
  { spawn: { name: 'not-carols', prompt: '- say: never\n' } },
  { say: 'Killed once, and nothing lost.' },
]);
