/** A tool call that permission is asked for: whole, as a person is shown it, and as approvals look at it. Pure. */
import { createHash } from 'node:crypto';
import type * as acp from '@agentclientprotocol/sdk';
import type { QuestionSpec } from '../../lib/api/question.ts';
import { toolKind } from '../../lib/api/session-parts.ts';
import { cut } from '../cut.ts';
import type { Proposed } from './approvals.ts';
import { unifiedDiff } from './diff.ts';
import { asksForMore, commandIn, pathsIn } from './tool-input.ts';

export type ToolCall = NonNullable<QuestionSpec['toolCall']>;

/** The limits of the Question's schema, in characters, of what may be cut. */
const LIMIT = { id: 256, folder: 4096 };

/** What the agent said of a call before and says of it now; what a request leaves out is as it was. */
export function mergeCall(call: acp.ToolCallUpdate, known: Partial<acp.ToolCallUpdate> = {}): acp.ToolCallUpdate {
  const content = call.content?.length ? call.content : known.content;
  return {
    ...known,
    toolCallId: call.toolCallId || 'unnamed',
    title: titleOf(call, known),
    kind: call.kind ?? known.kind ?? 'other',
    rawInput: call.rawInput ?? known.rawInput,
    content: content ?? [],
    locations: [...(call.locations ?? []), ...(known.locations ?? [])],
  };
}

/** The call that permission is asked for, whole. */
export function toolCallOf(call: acp.ToolCallUpdate): ToolCall {
  const { rawInput: input } = call;
  const command = commandIn(input);
  const diffs = diffsOf(call.content ?? []);
  return {
    id: cut(call.toolCallId, LIMIT.id),
    title: (call.title ?? '').toWellFormed(),
    kind: kindOf(call),
    ...(input !== undefined && input !== null && { input: JSON.stringify(input) }),
    ...(command && { command: command.text.toWellFormed() }),
    ...(command?.folder !== undefined && { folder: cut(command.folder, LIMIT.folder) }),
    ...(diffs !== '' && { diff: diffs.toWellFormed() }),
  };
}

/** The same call as approvals look at it. */
export const proposedOf = (call: acp.ToolCallUpdate): Proposed => ({
  kind: kindOf(call),
  command: commandIn(call.rawInput),
  paths: pathsIn(call.rawInput, call),
  ...asksForMore(call.rawInput),
});

function kindOf({ kind: said }: acp.ToolCallUpdate): ToolCall['kind'] {
  const kind = toolKind.safeParse(said);
  return kind.success ? kind.data : 'other';
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

/**
 * What an "always" is remembered by: a command by its words and its folder, whatever the agent says about it; any other
 * call by all that it is.
 */
export const rememberedAs = ({ command }: Proposed, content: string): string =>
  command?.isPlain
    ? createHash('sha256')
        .update(JSON.stringify(['command', command.text, command.folder ?? null]))
        .digest('hex')
    : content;
