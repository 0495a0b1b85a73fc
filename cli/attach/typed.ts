/** What a typed line does: it answers the Question that stands there, or is a message to the agent. */
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { answerQuestion } from '../question/answer.ts';
import { type Choice, isAct } from '../question/choice.ts';
import { chooseWord } from '../question/choose.ts';
import { reference } from '../question/reference.ts';
import { say } from '../session/say.ts';

export const HELP = [
  '- A line is a message to the agent, or the answer to the Question that stands above.',
  '- /say TEXT is a message in any case. /detach, Ctrl-C or Ctrl-D leave; the Session goes on.',
].join('\n');

/** An Ask may be answered in other words than its options. */
function choose(question: Question, word: string): Choice {
  const { kind, options = [] } = question.spec;
  const isOption = options.some(({ id }) => id === word);
  return chooseWord(question, word, kind === 'Ask' && options.length > 0 && !isOption);
}

export interface Typed {
  /** The name of the Session, with its uid. */
  session: string;
  question: Stored<Question> | undefined;
  leave: () => void;
  /** The Question is being answered. */
  answering: (question: Stored<Question>) => void;
}

/** Does it. Throws as `tiny send` and `tiny answer` do. */
export async function act(app: App, line: string, { session, question, leave, answering }: Typed): Promise<void> {
  const text = line.trim();
  if (text === '') return;
  if (/^\/(detach|quit|exit)$/.test(text)) return leave();
  if (/^\/(help|\?)$/.test(text)) return app.note(HELP);
  const [, said] = /^\/say\s+(.+)$/s.exec(text) ?? [];
  if (said ?? !question) return say(app, session, { text: said ?? text, resume: true });
  if (!question) return;
  refuseUnseen(app, question, text);
  // It stood on the screen whole before anything could be typed: nobody says yes unread.
  await answerQuestion(app, reference(question), { yes: true, choose: (now) => choose(now, text) });
  answering(question);
}

/** What a proposal would change did not stand there, and a yes is bound to it as to what was shown. */
function refuseUnseen({ program }: App, question: Stored<Question>, text: string): void {
  if (!question.spec.apply || !isAct(question, choose(question, text))) return;
  throw new Failure(
    'what this would change has not been shown here, so nothing was answered',
    `\`${program} y ${reference(question)}\` shows it, and asks. A no can be said here.`,
  );
}
