/** A conversation in the terminal: the transcript as it comes, what is typed as messages and answers. */
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import type { Session } from '../../lib/api/session.ts';
import type { App } from '../app.ts';
import { explain } from '../explain.ts';
import { Failure } from '../failure.ts';
import { safeText } from '../output/safe.ts';
import { follow } from '../transcript/follow.ts';
import { type Item, lastOf, type Seen } from '../transcript/items.ts';
import { makePrinter } from '../transcript/print.ts';
import { isReadable, podOf, sleeps, transcriptNow } from '../transcript/source.ts';
import { shown, watchQuestions } from './questions.ts';
import { openScreen, type Screen } from './screen.ts';
import { act, HELP } from './typed.ts';

/** How much of what was said before is shown first, in entries. */
const BEFORE = 50;

/** The app of the conversation: all that any part of it prints goes above the line that is typed. */
function onScreen(app: App, print: (text: string) => void, signal: AbortSignal): App {
  return Object.assign(Object.create(app) as App, {
    print,
    note: (text: string) => print(`${safeText(text)}\n`),
    signal,
    io: { ...app.io, stderr: { write: print } },
  });
}

/** A Question that came up so shortly before the line was typed was not read. Milliseconds. */
const UNREAD_MS = 700;

/** The Question that stands on the screen, and since when. */
function makeAsking(app: App, screen: Screen, name: string) {
  let asked: { question: Stored<Question>; at: number } | undefined;
  return {
    ask(question: Stored<Question> | undefined) {
      asked = question && { question, at: app.now().getTime() };
      if (question) screen.print(shown(app, question));
      screen.prompt(question ? 'answer> ' : `${name}> `);
    },
    /** What a line that was typed now answers. */
    answered(): Stored<Question> | undefined {
      if (asked && app.now().getTime() - asked.at < UNREAD_MS)
        throw new Failure('a Question came up just now, and nothing was said', 'Read it, and type again.');
      return asked?.question;
    },
  };
}

/** Until the person leaves, or the Session is gone. */
export async function converse(app: App, session: Stored<Session>): Promise<void> {
  const { name, uid } = session.metadata;
  const left = new AbortController();
  const leave = () => left.abort();
  let typed: Promise<void> = Promise.resolve();
  const screen = openScreen(app.io, { onLeave: leave, onLine: (line) => take(line) });
  const here = onScreen(app, screen.print, AbortSignal.any([app.signal, left.signal]));
  const asking = makeAsking(here, screen, name);
  const waiting = watchQuestions(here, name, () => asking.ask(waiting.first()));
  const take = (line: string) => {
    const at = once(() => asking.answered());
    typed = typed
      .then(async () => act(here, line, { session: `${name}@${uid}`, question: at(), leave, answering: waiting.done }))
      .catch((error: unknown) => tellError(here, error));
  };
  here.note(HELP);
  asking.ask(undefined);
  try {
    await tell(here, session);
  } finally {
    leave();
    await typed;
    screen.close();
  }
  app.note(`Left ${name}. \`${app.program} attach ${name}\` comes back to it.`);
}

/** What `read` gives or throws now, for later. */
function once<T>(read: () => T): () => T {
  try {
    const value = read();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function tellError(app: App, error: unknown): void {
  const { message, hints } = explain(error, app);
  app.note([`error: ${message}`, ...hints.map((hint) => `  ${hint}`)].join('\n'));
}

/** Questions stand on the screen as they are asked: what the transcript says of them is left out. */
async function tell(app: App, session: Stored<Session>): Promise<void> {
  const printer = makePrinter(app, { raw: false, full: false });
  try {
    for await (const item of itemsOf(app, session)) if (item.entry?.type !== 'asked') printer.print(item);
  } catch (error) {
    if (!app.signal.aborted) throw error;
  } finally {
    printer.end();
  }
}

/** The last of what was said, then all that comes. */
async function* itemsOf(app: App, session: Stored<Session>): AsyncGenerator<Item> {
  const seen: Seen = { lastSeq: 0 };
  const isThere = sleeps(session) || isReadable(await podOf(app, session.metadata.name));
  if (isThere) yield* await lastOf(transcriptNow(app, session, seen), BEFORE);
  yield* follow(app, session, { seen, untilFinished: false });
}
