/** `tiny answer`: one Question, by the id of an option or in words. */
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { answerQuestion } from '../question/answer.ts';
import { chooseWord } from '../question/choose.ts';
import { readText } from '../text/read.ts';

interface Options {
  text?: boolean;
  file?: string;
  yes?: boolean;
}

export const define: Define = (command, app) =>
  command
    .argument('<question>', 'the name of the Question')
    .argument('[answer]', 'the id of an option, or words; - reads stdin')
    .option('--text', 'in words, where the Question has options too')
    .option('-f, --file <file>', 'read the words from a file; - is stdin')
    .option('-y, --yes', 'do not show what a yes does and ask first')
    .addHelpText(
      'after',
      `\nExamples:\n  ${app.program} answer refactor-0123456789 allow\n  ${app.program} answer refactor-0123456789 "Use the second one"\n\nA name may be followed by @ and the beginning of the uid: then no other Question of that name is answered.\nOn a terminal, what a yes does is shown whole, and asked for, unless --yes; elsewhere the name is enough.`,
    )
    .action((name: string, given: string | undefined, options: Options) => answer(app, { ...options, name, given }));

async function answer(
  app: App,
  { name, given, file, text, yes }: Omit<Options, 'text'> & { text?: boolean; name: string; given: string | undefined },
): Promise<void> {
  const word = await readText(app, { what: 'answer', argument: given, file });
  await answerQuestion(app, name, { yes, choose: (question) => chooseWord(question, word, text ?? false) });
}
