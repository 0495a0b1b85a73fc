/** `tiny questions`: the inbox, what agents ask and nobody has answered. */
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { QUESTIONS } from '../../lib/kube/types.ts';
import { decide } from '../../lib/question/decision.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { list, listScope } from '../output/listing.ts';
import { questionColumns } from '../question/columns.ts';
import { bareName } from '../session/name.ts';

export const define: Define = (command, app) =>
  command
    .argument('[session]', 'only what this Session asks')
    .option('--all', 'answered and expired ones too')
    .addHelpText(
      'after',
      `\nExamples:\n  ${app.program} questions        what is open\n  ${app.program} questions -w     an inbox: each question as it is asked\n  ${app.program} y                say yes to the only open one`,
    )
    .action((session: string | undefined, options: { all?: boolean }) => questions(app, session, options));

async function questions(app: App, session: string | undefined, { all }: { all?: boolean }): Promise<void> {
  const wanted = session && bareName(session);
  const keep = (question: Stored<Question>) =>
    (!wanted || question.spec.session === wanted) && (all || decide(question, app.now()).state === 'open');
  await list(app, {
    type: QUESTIONS,
    columns: () => questionColumns(app.now(), app.style),
    options: await listScope(app),
    noun: all ? 'questions' : 'open questions',
    keep,
  });
}
