/** `tiny send`: one more message to a Session's agent. The message has an id, so that sending it twice is sending it once. */
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { addOwnershipFlags } from '../session/change.ts';
import { say } from '../session/say.ts';
import type { Ownership } from '../session/take-over.ts';
import { readText } from '../text/read.ts';

export const define: Define = (command, app) =>
  addOwnershipFlags(command)
    .argument('<session>', 'the name of the Session')
    .argument('[text]', 'what to say; - reads stdin')
    .option('-f, --file <file>', 'read what to say from a file; - is stdin')
    .option('--id <id>', 'names the message: sent again with the same id, it is not said twice')
    .addHelpText(
      'after',
      `\nExamples:\n  ${app.program} send refactor "Please add a test, too"\n  git diff | ${app.program} send refactor -\n  ${app.program} send refactor "Go on" --id ci-4711`,
    )
    .action((name: string, text: string | undefined, options: Options) => send(app, { ...options, name, text }));

interface Options extends Ownership {
  file?: string;
  id?: string;
}

async function send(app: App, given: Options & { name: string; text: string | undefined }): Promise<void> {
  const text = await readText(app, { what: 'message', argument: given.text, file: given.file });
  await say(app, given.name, { ...given, text });
}
