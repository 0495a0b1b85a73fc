/** `tiny answer`: one Question, by the id of an option or in words. */
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { answerQuestion } from '../question/answer.ts';
import { chooseWord } from '../question/choose.ts';
import { readText } from '../text/read.ts';

interface Options {
  text?: boolean;
  file?: string;
}

export const define: Define = (command, app) =>
  command
    .argument('<question>', 'the name of the Question')
    .argument('[answer]', 'the id of an option, or words; - reads stdin')
    .option('--text', 'in words, where the Question has options too')
    .option('-f, --file <file>', 'read the words from a file; - is stdin')
    .addHelpText(
      'after',
      `\nExamples:\n  ${app.program} answer refactor-0123456789 allow\n  ${app.program} answer refactor-0123456789 "Use the second one"`,
    )
    .action((name: string, given: string | undefined, options: Options) => answer(app, { ...options, name, given }));

async function answer(
  app: App,
  { name, given, file, text }: Omit<Options, 'text'> & { text?: boolean; name: string; given: string | undefined },
): Promise<void> {
  const word = await readText(app, { what: 'answer', argument: given, file });
  await answerQuestion(app, name, (question) => chooseWord(question, word, text ?? false));
}
