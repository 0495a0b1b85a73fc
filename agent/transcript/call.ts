/** A tool call as the agent tells it bit by bit, cut at once, so that no output of megabytes is kept. Pure. */
import type * as acp from '@agentclientprotocol/sdk';
import type { CutText, Draft } from '../../lib/api/transcript.ts';
import { cut, cutStart } from '../cut.ts';
import { unifiedDiff } from '../harness/diff.ts';
import type { Redact } from '../redact.ts';

type CallEntry = Extract<Draft, { type: 'call' }>;
type Diffs = NonNullable<CallEntry['diffs']>;

/** What is known of a call. */
export interface Call {
  id: string;
  title: string;
  kind: string;
  status: acp.ToolCallStatus;
  input?: CutText;
  output?: CutText;
  diffs?: Diffs;
}

/** In UTF-16 units, each. */
const MOST = { title: 1024, input: 8192, output: 16_384, diff: 16_384 };
const MOST_DIFFS = 16;
/** Of what is cut, so much of the end is kept: errors stand there. */
const END = 4096;

/** `text` with its middle left out where it is longer than `most`. */
export function shorten(text: string, most: number): CutText {
  if (text.length <= most) return { text: text.toWellFormed(), characters: text.length };
  const end = Math.min(END, Math.floor(most / 4));
  return { text: `${cut(text, most - end)}\n[…]\n${cutStart(text, end)}`, characters: text.length };
}

const count = (diff: string, mark: '+' | '-'): number =>
  diff.split('\n').filter((line) => line.startsWith(mark) && !line.startsWith(mark.repeat(3))).length;

function diffsOf(content: readonly acp.ToolCallContent[], redact: Redact): Diffs {
  return content.slice(0, MOST_DIFFS).flatMap((part) => {
    if (part.type !== 'diff') return [];
    const diff = redact(unifiedDiff(part.path, part.oldText, part.newText));
    const counts = { added: count(diff, '+'), removed: count(diff, '-') };
    return [{ path: cut(redact(part.path), MOST.title), diff: shorten(diff, MOST.diff), ...counts }];
  });
}

const textOf = (part: acp.ToolCallContent): string =>
  part.type === 'content' ? (part.content.type === 'text' ? part.content.text : `[${part.content.type}]`) : '';

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const hasValue = (value: unknown): boolean =>
  value !== null && value !== undefined && !(typeof value === 'object' && Object.keys(value).length === 0);

function outputOf({ content, rawOutput }: acp.ToolCallUpdate, redact: Redact): CutText | undefined {
  const said = (content ?? []).map(textOf).filter(Boolean).join('\n');
  const text = said || (hasValue(rawOutput) ? asText(rawOutput) : '');
  return text ? shorten(redact(text), MOST.output) : undefined;
}

/** `before` with what the agent says now. */
export function mergeCall(before: Call | undefined, update: acp.ToolCallUpdate, redact: Redact): Call {
  const { toolCallId: id, title, kind, status, rawInput, content } = update;
  const base = before ?? { id: cut(id, 256), title: 'a tool call', kind: 'other', status: 'pending' as const };
  const diffs = diffsOf(content ?? [], redact);
  const output = outputOf(update, redact);
  return {
    ...base,
    ...(title?.trim() && { title: cut(redact(title.trim()), MOST.title) }),
    ...(kind && { kind: cut(kind, 64) }),
    ...(status && { status }),
    ...(hasValue(rawInput) && { input: shorten(redact(asText(rawInput)), MOST.input) }),
    ...(output && { output }),
    ...(diffs.length > 0 && { diffs }),
  };
}

/** The entry that tells of the call. */
export const callEntry = ({ id, title, kind, input, diffs }: Call): CallEntry => ({
  type: 'call',
  id,
  title,
  kind,
  ...(input && { input }),
  ...(diffs && { diffs }),
});

/** The entry that tells how it ended; the diffs only where they were not told before. */
export const resultEntry = (
  { id, title, status, output, diffs }: Call,
  told: Call | undefined,
): Extract<Draft, { type: 'result' }> => ({
  type: 'result',
  id,
  title,
  status: status === 'failed' ? 'failed' : 'completed',
  ...(output && { output }),
  ...(diffs && JSON.stringify(diffs) !== JSON.stringify(told?.diffs) && { diffs }),
});
