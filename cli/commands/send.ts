/** `tiny send`: one more message to a Session's agent. The message has an id, so that sending it twice is sending it once. */
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { settleSession } from '../direct.ts';
import { UsageError } from '../failure.ts';
import { MAX_MESSAGES, MAX_TEXT } from '../limits.ts';
import { addOwnershipFlags, changeSession, type Operations, printDone } from '../session/change.ts';
import { suffix } from '../session/name.ts';
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
  if (text.length > MAX_TEXT) {
    throw new UsageError(
      `a message is at most ${MAX_TEXT} characters, and this one has ${text.length}`,
      'Put it into a file of the repository and refer to it.',
    );
  }
  const id = messageId(app, given.id);
  const sent = await changeSession(app, given.name, {
    ...given,
    change: (session) => append(session, { id, text }),
  });
  if (typeof sent === 'string') return app.note(sent);
  await printDone(app, sent, `was sent message ${id}`);
  await settleSession(app, { ...sent.metadata });
}

function messageId(app: App, given: string | undefined): string {
  const id = given ?? `m-${suffix(app.random(10))}`;
  if (id.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(id)) return id;
  throw new UsageError(`--id "${id}" must be at most 63 lower-case letters, digits and "-"`);
}

/** The patch that says it, or that it was said already. */
function append({ metadata, spec }: Stored<Session>, message: { id: string; text: string }): Operations | string {
  const messages = spec.messages ?? [];
  const before = messages.find(({ id }) => id === message.id);
  if (before?.text === message.text) return `Message ${message.id} was sent to Session ${metadata.name} before.`;
  if (before) {
    throw new UsageError(
      `message ${message.id} was sent to Session "${metadata.name}" before, with another text`,
      'Use another --id.',
    );
  }
  if (messages.length >= MAX_MESSAGES) {
    throw new UsageError(
      `Session "${metadata.name}" has had ${MAX_MESSAGES} messages, and no more fit`,
      'Start another Session with `tiny new`.',
    );
  }
  return messages.length
    ? [{ op: 'add', path: '/spec/messages/-', value: message }]
    : [{ op: 'add', path: '/spec/messages', value: [message] }];
}
