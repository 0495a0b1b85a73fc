/** `tiny y` and `tiny n`: a plain yes or no, to the only open Question where none is named. */
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { QUESTIONS } from '../../lib/kube/types.ts';
import { named } from '../../lib/question/apply-manifest.ts';
import { decide } from '../../lib/question/decision.ts';
import type { App } from '../app.ts';
import { canAsk } from '../ask.ts';
import type { Define } from '../define.ts';
import { Failure, UsageError } from '../failure.ts';
import { safeLine } from '../output/safe.ts';
import { truncate } from '../output/width.ts';
import { answerQuestion } from './answer.ts';
import { chooseYesNo } from './choose.ts';
import { reference } from './reference.ts';

const SHORT = { yes: 'y', no: 'n' } as const;

const NAMED = `

On a terminal, what a yes does is shown whole, and asked for, unless --yes. Elsewhere a yes to an act needs the name
of its Question, and is not asked for again: naming it is a deliberate act. NAME@UID is the one that was shown.`;

/** The only open Question, where a yes to it can't be one to something that nobody has looked at. */
async function theOnly(app: App, word: 'yes' | 'no', yes: boolean | undefined): Promise<Stored<Question>> {
  const only = await onlyOpen(app, word);
  if (word === 'no' || yes || canAsk(app) || only.spec.kind === 'Ask') return only;
  throw new UsageError(
    'a yes to an act needs the name of its Question where nobody can be asked',
    `\`${app.program} y ${reference(only)}\` says yes to it; \`${app.program} show question/${reference(only)}\` tells what that does.`,
  );
}

/** The command that says `word`. */
export const defineYesNo =
  (word: 'yes' | 'no'): Define =>
  (command, app) =>
    command
      .argument('[question]', 'the name of the Question (default: the only open one)')
      .option('-y, --yes', 'do not show it and ask first')
      .addHelpText(
        'after',
        `\nExamples:\n  ${app.program} ${SHORT[word]}\n  ${app.program} ${SHORT[word]} refactor-0123456789${word === 'yes' ? NAMED : ''}`,
      )
      .action(async (name: string | undefined, { yes }: { yes?: boolean }) => {
        const chosen = name ?? reference(await theOnly(app, word, yes));
        await answerQuestion(app, chosen, { yes, choose: (question) => chooseYesNo(question, word) });
      });

function deed({ toolCall, spawn, apply }: Question['spec']): string {
  if (toolCall) return `${toolCall.kind}: ${toolCall.title}`;
  return spawn ? `Session ${spawn.name}` : (apply?.objects.map(named).join(', ') ?? '');
}

/** What a yes does stands before the agent's words, which may mislead. */
function line({ spec }: Question): string {
  const { session, text } = spec;
  const act = deed(spec);
  return truncate(`${session} asks${act && ` (${safeLine(act)})`}: ${safeLine(text)}`, 120);
}

async function onlyOpen(app: App, word: 'yes' | 'no'): Promise<Stored<Question>> {
  const { client, namespace } = await app.cluster();
  const { items } = await client.list(QUESTIONS, { namespace });
  const open = items.filter((question) => decide(question, app.now()).state === 'open');
  const [only, ...others] = open;
  if (!only) throw new Failure(`no Question is open in namespace ${namespace}`, 'Nothing was answered.');
  if (others.length) {
    throw new UsageError(
      `${open.length} Questions are open: say which`,
      ...open.map((question) => `${app.program} ${SHORT[word]} ${reference(question)}   ${line(question)}`),
    );
  }
  app.note(line(only));
  return only;
}
