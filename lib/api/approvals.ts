/**
 * What an agent may do unasked: kinds of tool call, and commands by pattern. A pattern is plain words and stars, and
 * can't hold what a shell would read as more than words, so that what a person allows is what they see.
 */
import { z } from 'zod';
import { toolKind } from './session-parts.ts';

/** Kinds as people say them beside the protocol's own names: `run` is execute, `network` is fetch. */
const SPOKEN = { run: 'execute', network: 'fetch' } as const;

/** What `approvals.allow` may name. */
export const ALLOWABLE = [...toolKind.options, 'run', 'network'] as const;

type ToolKind = z.infer<typeof toolKind>;

/** The protocol's kinds that `allow` names. */
export const kindsOf = (allow: readonly (typeof ALLOWABLE)[number][]): Set<ToolKind> =>
  new Set(allow.map((kind) => (kind === 'run' || kind === 'network' ? SPOKEN[kind] : kind)));

const PLAIN = 'A-Za-z0-9_./:@%+,-';

/** Words parted by one blank; the first, the program, has no star and sets no variable. */
export const COMMAND_PATTERN = new RegExp(`^[${PLAIN}]+( [${PLAIN}=*]+)*$`);

/** Whether `text` may stand in `approvals.commands`, and why not. */
const commandPattern = z
  .string()
  .min(1)
  .max(256)
  .regex(
    COMMAND_PATTERN,
    'must be words parted by one blank, such as "npm run *"; the first is the program, without a star; no quotes and nothing else that a shell reads',
  );

export const approvals = z.object({
  allow: z
    .array(z.enum(ALLOWABLE))
    .max(ALLOWABLE.length)
    .default(['read', 'search', 'think'])
    .describe(
      'Kinds of tool call that need no yes; each other one makes a Question. `run` is another word for execute, `network` for fetch. An edit, delete or move needs none inside the clone only.',
    )
    .meta({ 'x-kubernetes-list-type': 'set' }),
  commands: z
    .array(commandPattern)
    .max(64)
    .optional()
    .describe(
      'Commands that need no yes, as `git status`, `npm run *`: word for word; a star stands for a part of a word, and as the last word for all further ones. Of a line of several commands each must be here; what redirects, substitutes or hides anything is asked for.',
    )
    .meta({ 'x-kubernetes-list-type': 'set' }),
});

export type Approvals = z.infer<typeof approvals>;
