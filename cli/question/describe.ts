/** One Question told to a person, with what exactly a yes does and the commands that answer it. Pure. */

import { age, until } from '../../lib/age.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { decide } from '../../lib/question/decision.ts';
import { safeLine, safeText } from '../output/safe.ts';
import type { Style } from '../output/style.ts';
import { pad, width } from '../output/width.ts';
import { told } from './answer.ts';
import { questionState } from './columns.ts';
import { reference } from './reference.ts';

interface Telling {
  now: Date;
  style: Style;
  program: string;
}

const indent = (text: string, by = '  '): string => text.replace(/^(?=.)/gm, by);

/** What is done on yes, whole: a person who answers must see all of it. */
function act({ toolCall, spawn }: Question['spec']): string[] {
  if (toolCall) {
    const { kind, title, input, diff } = toolCall;
    return [
      `On yes the agent does (${kind}): ${safeLine(title)}`,
      ...(input ? [indent(safeText(input))] : []),
      ...(diff ? [indent(safeText(diff))] : []),
    ];
  }
  if (!spawn) return [];
  const { prompt, ...spec } = spawn.spec;
  const fields = Object.entries(spec).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
  return [
    `On yes a Session "${safeLine(spawn.name)}" is made in your name:`,
    ...[...fields, 'prompt:', indent(prompt)].map((line) => indent(safeText(line))),
  ];
}

/** A command an option. Its effect stands beside it, because the agent has chosen the words. */
function answers(question: Stored<Question>, program: string): string[] {
  const options = question.spec.options ?? [];
  const name = reference(question);
  if (!options.length) return [`${program} answer ${name} TEXT`];
  const commands = options.map(({ id }) => `${program} answer ${name} ${id}`);
  const columns = Math.max(...commands.map(width));
  return options.map(({ effect, text }, index) =>
    [pad(commands[index] ?? '', columns), effect && `[${effect}]`, safeLine(text)].filter(Boolean).join('  '),
  );
}

function times({ metadata, spec }: Stored<Question>, now: Date): string {
  const asked = `asked ${age(metadata.creationTimestamp, now)} ago`;
  if (!spec.expiresAt) return asked;
  const left = until(spec.expiresAt, now);
  return `${asked}, ${left === 'expired' ? left : `expires ${left}`}`;
}

/** The Question as text of several lines. */
export function describeQuestion(question: Stored<Question>, { now, style, program }: Telling): string {
  const { metadata, spec } = question;
  const open = decide(question, now).state === 'open';
  const state = open ? '' : `, ${questionState(question, now)}`;
  const by = safeLine(spec.answer?.by?.username ?? 'somebody');
  return [
    `${style.bold(metadata.name)} (${spec.kind} of ${spec.session}, ${times(question, now)}${state})`,
    indent(safeText(spec.text)),
    ...act(spec).map((line) => indent(line)),
    ...(spec.answer ? [indent(`Answered by ${by}: ${told(spec.answer)}`)] : []),
    ...(open ? answers(question, program).map((line) => indent(line)) : []),
    '',
  ].join('\n');
}
