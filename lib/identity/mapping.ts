/**
 * Who somebody from outside is in the cluster: a Slack user, a GitHub user, an e-mail address. Outside names change and
 * are given away, so only ids that stay are looked up. Nobody is guessed: who stands in no entry, in two, or in one
 * that names no person, is refused with what to ask of whom. Format: docs/people.md. Pure.
 */
import * as z from 'zod/mini';
import type { Person } from '../api/meta.ts';
import { isPerson, serviceAccountOf } from './person.ts';

/** The Secret that holds the file, which functions get mounted and never read through the API. */
export const IDENTITIES = { namespace: 'tiny-system', name: 'tiny-identities', key: 'identities.json' } as const;

/** The file can't be used; the message says where, and quotes none of it. */
export class UnusableIdentities extends Error {
  override name = 'UnusableIdentities';
}

const text = z.string().check(z.minLength(1), z.maxLength(1024));
const groups = z.optional(z.array(text).check(z.maxLength(512)));
/** `T0123ABCD/U0456EFGH`: a user id of Slack is unique within its workspace (or Enterprise organisation). */
export const SLACK_ID = /^[TE][A-Z0-9]{1,30}\/[UW][A-Z0-9]{1,30}$/;
/** One address without quotes, comments or anything beyond ASCII, in small letters. */
export const EMAIL = /^[a-z0-9._%+'-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/;

const entry = z.strictObject({
  username: text,
  groups,
  slack: z.optional(z.array(z.string().check(z.regex(SLACK_ID)))),
  github: z.optional(z.array(z.int().check(z.minimum(1)))),
  email: z.optional(z.array(z.string().check(z.regex(EMAIL)))),
  /** For people; nothing looks at it. A login of GitHub stands here. */
  comment: z.optional(z.string().check(z.maxLength(1024))),
});

/** Who is in no entry may still be known by the e-mail address that Slack has verified. */
const rule = z.strictObject({
  /** The workspace whose word is taken. */
  slackTeam: z.string().check(z.regex(/^[TE][A-Z0-9]{1,30}$/)),
  /** What stands behind the `@`, whole. */
  domain: z.string().check(z.regex(/^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/)),
  /** The user name, with `{email}` in it. */
  username: z.string().check(z.maxLength(512), z.regex(/\{email\}/)),
  groups,
});

const schema = z.strictObject({
  people: z.optional(z.array(entry)),
  rules: z.optional(z.array(rule)),
});

export type Identities = z.infer<typeof schema>;
export type Entry = z.infer<typeof entry>;
export type Rule = z.infer<typeof rule>;

/** Somebody, as the other side has proven them to be: by its signature, or by its API's answer. */
export type Outsider =
  /** `email` only where Slack says that it has been confirmed, of a full member of that workspace. */
  | { from: 'slack'; team: string; user: string; email?: string }
  /** The numeric id. `login` is for messages alone. */
  | { from: 'github'; id: number; login?: string }
  | { from: 'email'; address: string };

export type WhoIs = { person: Person } | { refusal: 'Unmapped' | 'Ambiguous' | 'NotAPerson'; message: string };

/** Reads the file. Throws `UnusableIdentities`. */
export function parseIdentities(file: string): Identities {
  const result = z.safeParse(schema, json(file));
  if (result.success) return result.data;
  const [{ path = [] } = {}] = result.error.issues;
  throw new UnusableIdentities(`the file of identities is wrong at ${path.join('.') || 'its top'}`);
}

function json(file: string): unknown {
  try {
    return JSON.parse(file);
  } catch {
    throw new UnusableIdentities('the file of identities is no JSON');
  }
}

/** The name that an entry is found and edited by: `slack:T1/U1`, `github:583231`, `email:a@b.example`. */
export function keyOf(who: Outsider): string {
  if (who.from === 'slack') return `slack:${who.team}/${who.user}`;
  return who.from === 'github' ? `github:${who.id}` : `email:${who.address.toLowerCase()}`;
}

/** All keys that an entry answers to. */
export const keysOf = ({ slack = [], github = [], email = [] }: Entry): string[] => [
  ...slack.map((id) => `slack:${id}`),
  ...github.map((id) => `github:${id}`),
  ...email.map((address) => `email:${address}`),
];

/** Why nobody may be mapped to this person; `undefined` where they may. The same as for impersonation, and said instead of passed over. */
export function notMappable({ username, groups: named = [] }: Person): string | undefined {
  if (!isPerson({ username })) return `${username} is an identity of the cluster, and nothing is done in its name`;
  const system = named.find((group) => group.startsWith('system:'));
  if (system) return `group ${system} is the cluster's own, and is never used in anyone's name`;
  if (serviceAccountOf(username) && named.length) return `the API server gives ${username} its groups; leave them out`;
  return undefined;
}

/** Who `who` is in the cluster. */
export function whoIs(identities: Identities, who: Outsider): WhoIs {
  const key = keyOf(who);
  const [found, another] = (identities.people ?? []).filter((one) => keysOf(one).includes(key));
  if (another) return refused('Ambiguous', `${key} stands in two entries of the identities, and nobody is guessed`);
  return found ? mapped(found) : byRule(identities, who);
}

function byRule({ rules = [] }: Identities, who: Outsider): WhoIs {
  const address = who.from === 'slack' ? who.email?.toLowerCase() : undefined;
  const applies = rules.find(
    ({ slackTeam, domain }) =>
      who.from === 'slack' && who.team === slackTeam && EMAIL.test(address ?? '') && address?.split('@')[1] === domain,
  );
  if (!applies || !address) return refused('Unmapped', unmapped(who));
  return mapped({ username: applies.username.replaceAll('{email}', () => address), groups: applies.groups });
}

function mapped({ username, groups: named }: Pick<Entry, 'username' | 'groups'>): WhoIs {
  const person: Person = { username, ...(named?.length && { groups: named }) };
  const problem = notMappable(person);
  return problem ? refused('NotAPerson', problem) : { person };
}

const refused = (refusal: 'Unmapped' | 'Ambiguous' | 'NotAPerson', message: string): WhoIs => ({ refusal, message });

const unmapped = (who: Outsider): string =>
  `the cluster does not know who you are. Ask whoever runs it for: tiny identity add USERNAME --${who.from} ${keyOf(who).slice(who.from.length + 1)}`;
