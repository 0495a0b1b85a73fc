/**
 * What the harness's socket may ask: for permission, under ids that say what they do. The agent's processes can reach
 * this socket too, so it makes no other kind of Question; those come from the tools, which build them themselves.
 */
import { z } from 'zod';
import { type Effect, questionSpec } from '../../lib/api/question.ts';
import { OPTION_ID } from '../option-id.ts';

const plain = ({ id, effect }: { id: string; effect?: Effect | undefined }): boolean =>
  effect !== undefined && new RegExp(`^${OPTION_ID[effect]}(-[0-9]+)?$`).test(id);

const permitSpec = questionSpec.omit({ answer: true, spawn: true, expiresAt: true, defaultOption: true }).extend({
  kind: z.literal('Permit', 'only a permission is asked for here; ask and spawn are tools of the MCP server'),
  options: questionSpec.shape.options
    .unwrap()
    .refine(
      (options) => options.every(plain),
      'an option is named after its effect: allow, allow-always, deny, deny-always',
    )
    .refine((options) => options.some(({ effect }) => effect === 'Deny'), 'there must be an option that denies'),
});

/** The body of a request for a Question. */
export const permitRequest = z.object({ key: z.string().min(1).max(4096), spec: z.strictObject(permitSpec.shape) });
