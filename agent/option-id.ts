/** The ids of a permission's options, which a person types: what the harness gives and the tools insist on. */
import type { Effect } from '../lib/api/question.ts';

/** The id of an option begins with this, so that nobody chooses a yes under the name of a no. */
export const OPTION_ID: Record<Effect, string> = {
  Allow: 'allow',
  AllowAlways: 'allow-always',
  Deny: 'deny',
  DenyAlways: 'deny-always',
};
