/**
 * One Question told to a person. What the agent says comes first and is marked, line by line; what a yes does and the
 * commands that answer are tiny's own words and come last, where nothing can push them away. Pure.
 */

import { age, until } from '../../lib/age.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { named } from '../../lib/question/apply-manifest.ts';
import { callParts } from '../../lib/question/call-parts.ts';
import { decide } from '../../lib/question/decision.ts';
import { quote } from '../output/quote.ts';
import { safeLine } from '../output/safe.ts';
import type { Style } from '../output/style.ts';
import { pad, truncate, width } from '../output/width.ts';
import { told } from './choice.ts';
import { questionState } from './columns.ts';
import { reference } from './reference.ts';
import type { View } from './view.ts';

interface Telling {
  now: Date;
  style: Style;
  program: string;
  /** Of the terminal; absent elsewhere, where lines stay whole. */
  columns?: number;
  /** Without the commands: the person is being asked already. */
  asking?: boolean;
  /** What a proposal would change, as whoever looks may see it. */
  view?: View | undefined;
}

const indent = (text: string, by = '  '): string => text.replace(/^(?=.)/gm, by);

/** An option's own words stand beside its command: longer ones could wrap to look like a line of their own. */
const MAX_OPTION = 40;
/** How far the whole is indented, by itself and by `tiny show` of its Session. */
const INDENT = 6;

type Part = [title: string, text: string];

/** What the agent gives, whole: a person who answers must see all of it. */
function given({ text, toolCall, spawn, apply }: Question['spec'], view: View | undefined): Part[] {
  const { prompt, ...spec } = spawn?.spec ?? { prompt: '' };
  const fields = Object.entries(spec).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
  const parts: Part[] = [
    ['The agent asks', text],
    ...(toolCall ? callParts(toolCall) : []),
    ['Spec', fields.join('\n')],
    ['Prompt', prompt],
    ...(apply?.objects ?? []).map((one): Part => [safeLine(named(one)), pretty(one.fields)]),
    [view?.shown ? 'What you would change' : 'What you would change can not be told', view?.text ?? ''],
  ];
  return parts.filter(([, part]) => part !== '');
}

/** The fields of an object, a line each. */
function pretty(fields: string): string {
  try {
    return JSON.stringify(JSON.parse(fields), null, 2);
  } catch {
    return fields;
  }
}

/** What is done on yes. */
function act({ toolCall, spawn, apply }: Question['spec']): string[] {
  if (apply) {
    const over = apply.force ? ', and fields that others manage are taken over' : '';
    return [`On yes ${apply.objects.map((one) => safeLine(named(one))).join(', ')} is applied in your name${over}.`];
  }
  if (toolCall) return [`On yes the agent does this (${toolCall.kind}).`];
  return spawn ? [`On yes a Session "${safeLine(spawn.name)}" is made in your name, of that spec and prompt.`] : [];
}

/** A command an option. Its effect stands beside it, because the agent has chosen the words. */
function answers(question: Stored<Question>, program: string): string[] {
  const options = question.spec.options ?? [];
  const name = reference(question);
  if (!options.length) return [`${program} answer ${name} TEXT`];
  const commands = options.map(({ id }) => `${program} answer ${name} ${id}`);
  const columns = Math.max(...commands.map(width));
  return options.map(({ effect, text }, index) =>
    [pad(commands[index] ?? '', columns), effect && `[${effect}]`, truncate(safeLine(text), MAX_OPTION)]
      .filter(Boolean)
      .join('  '),
  );
}

function times({ metadata, spec }: Stored<Question>, now: Date): string {
  const asked = `asked ${age(metadata.creationTimestamp, now)} ago`;
  if (!spec.expiresAt) return asked;
  const left = until(spec.expiresAt, now);
  return `${asked}, ${left === 'expired' ? left : `expires ${left}`}`;
}

/** The Question as text of several lines. */
export function describeQuestion(question: Stored<Question>, telling: Telling): string {
  const { now, style, program, columns, asking, view } = telling;
  const { metadata, spec } = question;
  const open = decide(question, now).state === 'open';
  const state = open ? '' : `, ${questionState(question, now)}`;
  const by = safeLine(spec.answer?.by?.username ?? 'somebody');
  const quoted = given(spec, view).flatMap(([title, text]) => [`${title}:`, quote(text, columns && columns - INDENT)]);
  return [
    `${style.bold(metadata.name)} (${spec.kind} of ${spec.session}, ${times(question, now)}${state})`,
    ...[...quoted, ...act(spec)].map((line) => indent(line)),
    ...(spec.answer ? [indent(`Answered by ${by}: ${told(spec.answer)}`)] : []),
    ...(open && !asking ? answers(question, program).map((line) => indent(line)) : []),
    '',
  ].join('\n');
}
