/**
 * The transcript of a Session: what was said and done in it, as JSON lines of this schema, on the Session's volume and
 * on the standard output of its `agent` container. `seq` counts up over the Session's whole life, restarts included,
 * so that whoever reads it twice, or from two places, knows what they have seen, and what is missing.
 */
import { z } from 'zod';

/** Raised when a reader of the earlier form would be misled; new types and fields alone don't raise it. */
export const TRANSCRIPT_VERSION = 1;

/** Text that may be cut. */
const cutText = z.object({
  text: z.string(),
  /** The length before it was cut, in UTF-16 units. */
  characters: z.int(),
});
export type CutText = z.infer<typeof cutText>;

const diff = z.object({
  path: z.string(),
  /** A unified diff. */
  diff: cutText,
  added: z.int(),
  removed: z.int(),
});

const spoken = {
  text: z.string(),
  /** It goes on from the last entry of its type: one message may come in several pieces. */
  continues: z.literal(true).optional(),
};

const usage = z.object({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  /** What of the model's context is in use, and its size, in tokens. */
  used: z.number().optional(),
  size: z.number().optional(),
  cost: z.object({ amount: z.number(), currency: z.string() }).optional(),
});
export type TranscriptUsage = z.infer<typeof usage>;

/** What an entry says, without its number and time. */
export const draft = z.discriminatedUnion('type', [
  /** A harness has begun to work on the Session: the first time, after a restart, or after sleep. */
  z.object({ type: z.literal('start'), session: z.string(), uid: z.string(), agent: z.string() }),
  /** The conversation was taken over from another Session. */
  z.object({ type: z.literal('imported'), session: z.string(), uid: z.string() }),
  /** A turn begins with what a person said: the prompt, or the message at an index of `spec.messages`. */
  z.object({
    type: z.literal('prompt'),
    turn: z.int(),
    from: z.union([z.literal('prompt'), z.int()]),
    text: cutText,
    /** The turn was begun before, and its process ended. */
    resumed: z.literal(true).optional(),
  }),
  z.object({ type: z.literal('message'), ...spoken }),
  z.object({ type: z.literal('thought'), ...spoken }),
  /** A tool call; said again where the agent corrects itself before it ends. */
  z.object({
    type: z.literal('call'),
    id: z.string(),
    title: z.string(),
    kind: z.string(),
    input: cutText.optional(),
    diffs: z.array(diff).optional(),
  }),
  z.object({
    type: z.literal('result'),
    id: z.string(),
    title: z.string(),
    status: z.enum(['completed', 'failed']),
    output: cutText.optional(),
    diffs: z.array(diff).optional(),
  }),
  z.object({
    type: z.literal('plan'),
    steps: z.array(z.object({ text: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) })),
  }),
  /** A Question stands open. */
  z.object({
    type: z.literal('asked'),
    question: z.string(),
    uid: z.string().optional(),
    kind: z.string(),
    text: z.string(),
    options: z.array(z.object({ id: z.string(), text: z.string(), effect: z.string().optional() })),
  }),
  /** The answer was handed to the agent. */
  z.object({
    type: z.literal('decided'),
    question: z.string().optional(),
    allowed: z.boolean(),
    always: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('ended'),
    turn: z.int(),
    /** `end_turn`, `max_tokens`, `refusal`, `cancelled`, or `error`. */
    stop: z.string(),
    error: z.string().optional(),
    usage: usage.optional(),
  }),
  z.object({ type: z.literal('finished'), reason: z.string(), message: z.string() }),
  /** What the harness has to say, and what the agent wrote to its standard error. */
  z.object({ type: z.literal('note'), text: z.string() }),
  /** So much was left out of this turn, because a turn may fill so much of the volume. */
  z.object({ type: z.literal('dropped'), entries: z.int(), characters: z.int() }),
]);
export type Draft = z.infer<typeof draft>;

const numbered = z.object({
  v: z.literal(TRANSCRIPT_VERSION),
  seq: z.int().min(1),
  /** RFC 3339, UTC. */
  at: z.string(),
});

export type Entry = Draft & z.infer<typeof numbered>;
/** One of a later version of tiny, whose type isn't known here: it counts, and is passed over. */
export type UnknownEntry = z.infer<typeof numbered> & { type: 'unknown' };

/** The longest line that is looked at, in characters. */
export const MAX_ENTRY_LINE = 1024 * 1024;

/** The entry on a line of a transcript; `undefined` for what is none: torn by a kill, or another's output. */
export function parseEntry(line: string): Entry | UnknownEntry | undefined {
  const text = line.replaceAll('\0', '').trim();
  if (!text.startsWith('{') || text.length > MAX_ENTRY_LINE) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { success, data } = numbered.safeParse(value);
  if (!success) return undefined;
  const said = draft.safeParse(value);
  return said.success ? { ...said.data, ...data } : { ...data, type: 'unknown' };
}
