/**
 * A permission request of an agent as a Question, and an answer as one of the options that the agent offered. Pure.
 * The Question holds the call whole, since what was approved is what is done.
 */
import { createHash } from 'node:crypto';
import type * as acp from '@agentclientprotocol/sdk';
import type { Effect, QuestionSpec } from '../../lib/api/question.ts';
import { toolKind } from '../../lib/api/session-parts.ts';
import type { Decision } from '../../lib/question/decision.ts';
import { cut } from '../cut.ts';
import { OPTION_ID } from '../option-id.ts';
import { unifiedDiff } from './diff.ts';

type ToolCall = NonNullable<QuestionSpec['toolCall']>;

/** The limits of the Question's schema, in characters. */
const LIMIT = { id: 256, title: 1024, input: 65_536, diff: 262_144, optionText: 256 };

const EFFECT: Record<acp.PermissionOptionKind, Effect> = {
  allow_once: 'Allow',
  allow_always: 'AllowAlways',
  reject_once: 'Deny',
  reject_always: 'DenyAlways',
};

/** One thing that a person may choose, and the agent's option that it stands for, if the agent offered one. */
export interface Choice {
  id: string;
  text: string;
  effect: Effect;
  optionId: string | undefined;
}

/** What the agent offers, under ids that a person can type; a way to say no is always there. */
export function choicesOf(offered: readonly acp.PermissionOption[]): Choice[] {
  const seen = new Map<Effect, number>();
  const choices = offered.slice(0, 15).map(({ optionId, name, kind }): Choice => {
    const effect = EFFECT[kind];
    const count = (seen.get(effect) ?? 0) + 1;
    seen.set(effect, count);
    const id = count === 1 ? OPTION_ID[effect] : `${OPTION_ID[effect]}-${count}`;
    return { id, text: cut(name, LIMIT.optionText) || id, effect, optionId };
  });
  if (choices.some(({ effect }) => effect === 'Deny')) return choices;
  return [...choices, { id: OPTION_ID.Deny, text: 'No', effect: 'Deny', optionId: undefined }];
}

/**
 * Why a person can't be shown the call whole, in words for the agent: then nobody may allow it. A title is enough to
 * go by only where it is all there is.
 */
export function unshowable({ title, input = '', diff = '' }: ToolCall): string | undefined {
  const long = [
    { what: 'its input', length: input.length, limit: LIMIT.input },
    { what: 'its diff', length: diff.length, limit: LIMIT.diff },
    { what: 'its title', length: input || diff ? 0 : title.length, limit: LIMIT.title },
  ].find(({ length, limit }) => length > limit);
  return (
    long &&
    `denied, because ${long.what} has ${long.length} characters and a person can be shown ${long.limit}: do it in smaller steps, or write the text into a file first`
  );
}

/** The call that permission is asked for, whole; `known` is what the agent said of it before. */
export function toolCallOf(call: acp.ToolCallUpdate, known: Partial<acp.ToolCallUpdate> = {}): ToolCall {
  const kind = toolKind.safeParse(call.kind ?? known.kind);
  const input = call.rawInput ?? known.rawInput;
  const diffs = diffsOf(call.content ?? known.content ?? []);
  return {
    id: cut(call.toolCallId || 'unnamed', LIMIT.id),
    title: titleOf(call, known).toWellFormed(),
    kind: kind.success ? kind.data : 'other',
    ...(input !== undefined && { input: JSON.stringify(input) }),
    ...(diffs !== '' && { diff: diffs.toWellFormed() }),
  };
}

function titleOf(call: acp.ToolCallUpdate, known: Partial<acp.ToolCallUpdate>): string {
  const named = [call.title, known.title, call.name, known.name].find((title) => title?.trim());
  return named?.trim() ?? 'a tool call without a title';
}

const diffsOf = (content: readonly acp.ToolCallContent[]): string =>
  content.map((part) => (part.type === 'diff' ? unifiedDiff(part.path, part.oldText, part.newText) : '')).join('');

/** What makes two requests the same one: the call without its id, which is new after each restart. */
export function contentOf({ kind, title, input, diff }: ToolCall): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, title, input, diff]))
    .digest('hex');
}

/** The Question to ask; `undefined` where the agent offers no way to say yes. */
export function permitQuestion(
  session: string,
  toolCall: ToolCall,
  choices: readonly Choice[],
): QuestionSpec | undefined {
  if (!choices.some(({ effect }) => effect.startsWith('Allow'))) return undefined;
  return {
    session,
    kind: 'Permit',
    text: `May the agent do this? ${toolCall.kind}: ${cut(toolCall.title, LIMIT.title)}`,
    options: choices.map(({ id, text, effect }) => ({ id, text, effect })),
    toolCall: { ...toolCall, title: cut(toolCall.title, LIMIT.title) },
  };
}

/** The agent's option for a yes or a no; a no that the agent did not offer is "cancelled". */
export function outcomeFor(choices: readonly Choice[], effects: readonly Effect[]): acp.RequestPermissionOutcome {
  const [choice] = effects.flatMap((effect) => choices.filter((one) => one.effect === effect && one.optionId));
  return choice?.optionId ? { outcome: 'selected', optionId: choice.optionId } : { outcome: 'cancelled' };
}

export const YES: readonly Effect[] = ['Allow', 'AllowAlways'];
export const NO: readonly Effect[] = ['Deny', 'DenyAlways'];

/** What a decision means: for the agent now, and for the same call later. */
export function verdict(choices: readonly Choice[], decision: Exclude<Decision, { state: 'open' }>) {
  const chosen = choices.find(({ id }) => id === decision.option);
  const allowed = decision.allowed && saysYes(chosen);
  const always = decision.state === 'answered' && (chosen?.effect.endsWith('Always') ?? false);
  const outcome: acp.RequestPermissionOutcome =
    chosen?.optionId !== undefined && saysYes(chosen) === allowed
      ? { outcome: 'selected', optionId: chosen.optionId }
      : outcomeFor(choices, allowed ? YES : NO);
  return { allowed, always, outcome };
}

const saysYes = (choice: Choice | undefined): boolean => choice?.effect.startsWith('Allow') ?? false;
