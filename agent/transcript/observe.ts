/**
 * Fills the transcript from what passes by anyway: what the harness writes into its journal, and what it asks its
 * tools. So the harness's own steps need to know nothing of it.
 */
import type { Question } from '../../lib/api/question.ts';
import type { Session } from '../../lib/api/session.ts';
import type { Journal, JournalRecord } from '../harness/journal.ts';
import { progressOf } from '../harness/journal.ts';
import type { ToolsClient } from '../harness/tools-client.ts';
import { shorten } from './call.ts';
import type { Transcript } from './transcript.ts';

const MOST_PROMPT = 32_768;
const MOST_TEXT = 4096;

export interface Observed {
  journal: Journal;
  tools: ToolsClient;
}

/** `journal` and `tools` as they are, with `transcript` listening. `task` is the Session's prompt. */
export function observe({ journal, tools }: Observed, transcript: Transcript, task: string): Observed {
  let session: Session | undefined;
  /** The Questions of this process, by what permission is asked for. */
  const asked = new Map<string, string>();
  const textOf = (from: 'prompt' | number): string =>
    from === 'prompt' ? task : (session?.spec.messages?.[from]?.text ?? '');
  const openTurn = () => progressOf(journal.records).open?.turn;
  return {
    journal: {
      records: journal.records,
      append(record) {
        const context = { textOf, openTurn: openTurn(), asked, transcript };
        journal.append(record);
        (TOLD[record.type] as Teller | undefined)?.(record, context);
      },
    },
    tools: {
      ...tools,
      session: async () => {
        session = await tools.session();
        return session;
      },
      ask: async (key, spec) => {
        const question = await tools.ask(key, spec);
        const { name } = question.metadata;
        if (![...asked.values()].includes(name)) transcript.tell(askedEntry(question));
        asked.set(contentIn(key), name);
        return question;
      },
    },
  };
}

interface Context {
  textOf: (from: 'prompt' | number) => string;
  /** The turn that was open before the record. */
  openTurn: number | undefined;
  asked: Map<string, string>;
  transcript: Transcript;
}

type Teller = (record: JournalRecord, context: Context) => void;
type Tellers = {
  [T in JournalRecord['type']]?: (record: Extract<JournalRecord, { type: T }>, context: Context) => void;
};

/** What is told of each record; of most that is nothing. */
const TOLD: Tellers = {
  prompt({ turn, from }, { textOf, openTurn, transcript }) {
    const text = shorten(textOf(from), MOST_PROMPT);
    transcript.tell({ type: 'prompt', turn, from, text, ...(openTurn === turn && { resumed: true as const }) });
  },
  ended({ turn, stopReason, error, inputTokens, outputTokens }, { transcript }) {
    const usage = {
      ...(inputTokens !== undefined && { inputTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
      ...transcript.usage(),
    };
    const told = { ...(error !== undefined && { error }), ...(Object.keys(usage).length > 0 && { usage }) };
    transcript.tell({ type: 'ended', turn, stop: stopReason, ...told });
  },
  decided({ content, allowed, always }, { asked, transcript }) {
    const name = asked.get(content);
    asked.delete(content);
    const question = name === undefined ? {} : { question: name };
    transcript.tell({ type: 'decided', ...question, allowed, ...(always && { always }) });
  },
  finished({ reason, message }, { transcript }) {
    transcript.tell({ type: 'finished', reason, message });
  },
  reopened(_, { transcript }) {
    transcript.note('a message came after the end: going on');
  },
  stopped(_, { transcript }) {
    transcript.note('the pod ends in the middle of this turn; the next one goes on with it');
  },
};

/** A permission's key holds what is asked for between its kind and how often that was asked before. */
const contentIn = (key: string): string => key.split('\n')[1] ?? key;

const askedEntry = ({ metadata, spec }: Question) => ({
  type: 'asked' as const,
  question: metadata.name,
  ...(metadata.uid !== undefined && { uid: metadata.uid }),
  kind: spec.kind,
  text: spec.text.slice(0, MOST_TEXT).toWellFormed(),
  options: (spec.options ?? []).map(({ id, text, effect }) => ({ id, text, ...(effect && { effect }) })),
});
