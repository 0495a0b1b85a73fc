/**
 * The script of a rehearsal: a prompt that is a YAML list of steps. A prompt that is anything else is words, so
 * that a rehearsal stands in for an agent with any prompt.
 */
import { parse } from 'yaml';
import { z } from 'zod';

const words = z.string().max(65_536);
const file = z.string().min(1).max(1024);

const step = z.union([
  /** Says it, as the agent's words. */
  z.strictObject({ say: words }),
  /** Sets the Session's status line. */
  z.strictObject({ status: words.min(1).max(1024) }),
  /** Writes a file of the repository, or adds to its end. */
  z.strictObject({ edit: z.union([z.strictObject({ file, text: words }), z.strictObject({ file, append: words })]) }),
  /** Runs a shell command in the repository; begun anew when it was killed. */
  z.strictObject({ run: words.min(1) }),
  /** Commits all changes. */
  z.strictObject({ commit: words.min(1) }),
  /** Asks for permission, then runs the command. */
  z.strictObject({ permit: z.strictObject({ title: words.min(1), command: words.min(1) }) }),
  /** Asks a person; the answer is said, and written into the file `into`. */
  z.strictObject({
    ask: z.strictObject({
      text: words.min(1),
      options: z.array(words.min(1)).optional(),
      expires_in: z.string().optional(),
      into: file.optional(),
    }),
  }),
  /** Proposes another Session. */
  z.strictObject({ spawn: z.looseObject({ name: z.string().optional(), prompt: z.string().min(1) }) }),
  /** Proposes Kubernetes objects. */
  z.strictObject({
    apply: z.strictObject({ objects: words.min(1), reason: words.min(1), force: z.boolean().optional() }),
  }),
  /** Pushes what it has committed. */
  z.strictObject({ push: z.literal(true) }),
  /** The same, and opens a pull request. */
  z.strictObject({ pullRequest: z.strictObject({ title: words.min(1), body: words, base: words.min(1).optional() }) }),
  /** Says that it has used so many tokens, and what its conversation has cost so far, in USD. */
  z.strictObject({
    use: z.strictObject({
      inputTokens: z.int().min(0).optional(),
      outputTokens: z.int().min(0).optional(),
      cost: z.number().min(0).optional(),
    }),
  }),
  /** Tells its plan, of which the first `done` steps are done. */
  z.strictObject({ plan: z.strictObject({ steps: z.array(words.min(1)), done: z.int().min(0) }) }),
  /** Waits for so many seconds. */
  z.strictObject({ wait: z.number().min(0).max(86_400) }),
  /** Waits until a file of the repository is there. */
  z.strictObject({ waitFor: z.strictObject({ file }) }),
  /** Kills itself, or the harness, by SIGKILL: once. */
  z.strictObject({ crash: z.union([z.literal(true), z.literal('harness')]) }),
]);
export type Step = z.infer<typeof step>;

export const STEP_NAMES = [
  'say',
  'status',
  'edit',
  'run',
  'commit',
  'permit',
  'ask',
  'spawn',
  'apply',
  'push',
  'pullRequest',
  'use',
  'plan',
  'wait',
  'waitFor',
  'crash',
];

export type Script = { kind: 'script'; steps: Step[] } | { kind: 'words' } | { kind: 'wrong'; message: string };

/** What a prompt is. */
export function readScript(text: string): Script {
  const list = listIn(text);
  if (!list?.some(looksLikeStep)) return { kind: 'words' };
  const wrong = list.findIndex((one) => !step.safeParse(one).success);
  if (wrong < 0) return { kind: 'script', steps: list.map((one) => step.parse(one)) };
  const message = `step ${wrong + 1} of the rehearsal's script is none of ${STEP_NAMES.join(', ')}, or lacks something: ${JSON.stringify(list[wrong])}`;
  return { kind: 'wrong', message };
}

/** The YAML list that the text is; a single step stands for a list of it. */
function listIn(text: string): unknown[] | undefined {
  try {
    const value: unknown = parse(text, { logLevel: 'silent' });
    return Array.isArray(value) ? value : looksLikeStep(value) ? [value] : undefined;
  } catch {
    return undefined;
  }
}

const looksLikeStep = (one: unknown): boolean =>
  typeof one === 'object' && one !== null && Object.keys(one).some((key) => STEP_NAMES.includes(key));
