/**
 * What people are told of a Question, whatever the channel: what is asked, what a yes does, what may be chosen, and what
 * has come of it. The agent's words are kept apart from what is true whoever asks. Nothing in it depends on the hour, so
 * that a message is changed only when there is something new to say. Pure.
 */
import { createHash } from 'node:crypto';
import { findCondition } from '../api/conditions.ts';
import type { Stored } from '../api/meta.ts';
import type { Effect, Question } from '../api/question.ts';
import { named } from '../question/apply-manifest.ts';
import { callParts } from '../question/call-parts.ts';
import { decide } from '../question/decision.ts';

export interface Choice {
  id: string;
  text: string;
  effect?: Effect | undefined;
}

/** One part of what a yes does, with a heading. */
export interface Part {
  title: string;
  text: string;
}

export interface Telling {
  namespace: string;
  name: string;
  uid: string;
  session: string;
  kind: Question['spec']['kind'];
  /** Open; or what became of it, in one word: that of the condition that decided it. */
  state: 'Open' | 'Answered' | (string & {});
  /** The agent's words. */
  text: string;
  /** What is done on yes, whole. */
  parts: Part[];
  /** None: it is answered in words. */
  options: Choice[];
  expiresAt?: string | undefined;
  /** What holds when it expires. */
  defaultOption?: string | undefined;
  /** Who answered what and when; absent as long as nobody has. */
  answer?: { by: string; at?: string | undefined; said: string } | undefined;
  /** What came of it, in words. */
  outcome?: string | undefined;
  /** The command that tells all. */
  whole: string;
}

const fields = (of: object): string => JSON.stringify(of, null, 2);

/** A proposed object's fields as lines; as they are where they are no JSON. */
function pretty(text: string): string {
  try {
    return fields(JSON.parse(text));
  } catch {
    return text;
  }
}

const CALL: Record<string, string> = { Folder: 'In folder', Input: 'With', Diff: 'Changes' };

/** A tool call, its first part under what it is: the agent's name of it, where that says more than the command. */
function callOf(call: NonNullable<Question['spec']['toolCall']>): Part[] {
  return callParts(call)
    .filter(([, text]) => text !== '')
    .map(([title, text], index) => ({ title: index ? (CALL[title] ?? title) : `Runs a tool (${call.kind})`, text }));
}

function parts({ toolCall, spawn, apply }: Question['spec']): Part[] {
  if (toolCall) return callOf(toolCall);
  if (spawn) {
    const { prompt, ...spec } = spawn.spec;
    return [
      { title: `Makes Session ${spawn.name}, as whoever says yes`, text: prompt },
      { title: 'With', text: fields(spec) },
    ];
  }
  // What it does stands before the name, which the agent has chosen and may be long.
  const over = apply?.force ? ', taking over fields of others' : '';
  const does = `Applies, as whoever says yes${over} (what was applied so before and is not said again goes)`;
  return (apply?.objects ?? []).map((one) => ({ title: `${does}: ${named(one)}`, text: pretty(one.fields) }));
}

function said({ options = [], answer }: Question['spec']): string {
  const chosen = options.find(({ id }) => id === answer?.option);
  if (chosen) return chosen.effect ? `${chosen.effect}: ${chosen.text}` : chosen.text;
  return answer?.text ?? answer?.option ?? '';
}

function stateOf(question: Question, now: Date): Pick<Telling, 'state' | 'outcome'> {
  const [answered, acted] = ['Answered', 'Acted'].map((type) => findCondition(question, type));
  if (acted) return { state: acted.reason, outcome: acted.message };
  if (answered?.status === 'False') return { state: answered.reason, outcome: answered.message };
  const { state } = decide(question, now);
  if (state === 'open') return { state: 'Open' };
  return state === 'expired'
    ? { state: 'Expired', outcome: 'nobody answered in time; nothing was done' }
    : { state: 'Answered' };
}

export function makeTelling(question: Stored<Question>, now: Date): Telling {
  const { spec, metadata } = question;
  const { name, uid, namespace = '' } = metadata;
  const { session, kind, text, options = [], expiresAt, defaultOption, answer } = spec;
  const by = answer?.by?.username ?? 'somebody';
  return {
    ...{ namespace, name, uid, session, kind, text, options, expiresAt, defaultOption },
    ...stateOf(question, now),
    parts: parts(spec),
    answer: answer && { by, at: answer.at, said: said(spec) },
    whole: `tiny show question/${name}@${uid.slice(0, 8)} -n ${namespace}`,
  };
}

/** Tells whether a message shows this already. */
export const digestOf = (telling: Telling): string =>
  createHash('sha256').update(JSON.stringify(telling)).digest('hex').slice(0, 32);
