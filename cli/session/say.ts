/** Saying something to a Session's agent: one more message in its spec, once however often it is sent. */
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import type { App } from '../app.ts';
import { settleSession } from '../direct.ts';
import { UsageError } from '../failure.ts';
import { MAX_MESSAGES, MAX_TEXT } from '../limits.ts';
import { changeSession, type Operations, printDone } from './change.ts';
import { suffix } from './name.ts';
import { ending } from './state.ts';
import type { Ownership } from './take-over.ts';

export interface Saying extends Ownership {
  text: string;
  /** Names the message; default: a new name. */
  id?: string;
  /** Whether a Session that was suspended on request goes on. */
  resume?: boolean;
}

/** Sends the message and prints that it was sent. */
export async function say(app: App, name: string, { text, resume, ...given }: Saying): Promise<void> {
  if (text.length > MAX_TEXT) {
    throw new UsageError(
      `a message is at most ${MAX_TEXT} characters, and this one has ${text.length}`,
      'Put it into a file of the repository and refer to it.',
    );
  }
  const id = messageId(app, given.id);
  const sent = await changeSession(app, name, {
    ...given,
    change: (session) => {
      const said = append(session, { id, text });
      const isHeld = resume && session.spec.suspend && typeof said !== 'string';
      return isHeld ? [...said, { op: 'add', path: '/spec/suspend', value: false }] : said;
    },
  });
  if (typeof sent === 'string') return app.note(sent);
  await printDone(app, sent, `was sent message ${id}`);
  const why = unheard(sent, app.program);
  if (why !== undefined) app.note(why);
  await settleSession(app, { ...sent.metadata });
}

/** Why the agent does not get the message, as far as nothing but a person changes that. */
function unheard(session: Stored<Session>, program: string): string | undefined {
  const { name } = session.metadata;
  if (ending(session)?.reason === 'Deadline')
    return `Its agent does not get it: its deadline has passed. \`${program} new --from ${name} TEXT\` goes on.`;
  if (!session.spec.suspend) return undefined;
  return `It is suspended on request, and gets the message once \`${program} resume ${name}\` starts it again.`;
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
