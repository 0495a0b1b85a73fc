/**
 * The settings of a project: the keys of ConfigMap `tiny-settings`, flat, so that `kubectl edit` and `kubectl patch` are
 * enough. The reference page, the words in a new ConfigMap, the check of `tiny settings` and the admission policy that
 * refuses what nobody understands come from here. Functions and policies read the keys themselves.
 */
import { z } from 'zod';

/** What a value looks like. `lines`: one entry a line. */
export type Format = 'lines' | 'flag' | 'hours' | 'count' | 'text';

/** As text for people, and as a pattern in RE2 (which repeats nothing more than 1,000 times), for admission policies understand no other. */
export const FORMATS: Record<Format, { words: string; pattern: string }> = {
  lines: { words: 'one a line', pattern: '^' },
  flag: { words: '"true" or "false"', pattern: '^(true|false)$' },
  hours: { words: 'whole hours, at least 1h, such as 24h', pattern: '^[1-9][0-9]{0,4}h$' },
  count: { words: 'a number from 1', pattern: '^[1-9][0-9]{0,5}$' },
  text: { words: 'text', pattern: '^[^\\n]{1,1000}$' },
};

export interface About {
  format: Format;
  /** What holds where the key is not there, in words. */
  absent: string;
  example: string;
}

const key = (description: string, about: About) =>
  z
    .string()
    .regex(new RegExp(FORMATS[about.format].pattern), `must be ${FORMATS[about.format].words}`)
    .optional()
    .describe(description)
    .meta({ ...about });

/** Each key that is known. */
export const settings = z.strictObject({
  'about.txt': key('Words for whoever edits it by hand; nobody reads them.', {
    format: 'lines',
    absent: 'nothing',
    example: 'Ask olga before you change this.',
  }),
  'answerers.users': key('Who may answer Questions, besides being let by RBAC: user names.', {
    format: 'lines',
    absent: 'everyone whom RBAC lets update Questions',
    example: 'alice\nbob',
  }),
  'answerers.groups': key('Which groups may answer Questions.', {
    format: 'lines',
    absent: 'everyone whom RBAC lets update Questions',
    example: 'reviewers',
  }),
  'answerers.notRequester': key('Whether the answer must come from another person than who asked for the Session.', {
    format: 'flag',
    absent: 'false',
    example: 'true',
  }),
  'identity.maxAge': key(
    'How long after somebody asked for a Session, or touched it, functions still act in their name.',
    {
      format: 'hours',
      absent: '24h, or what the installation says',
      example: '72h',
    },
  ),
  'images.allowed': key('Images that Sessions may name: prefixes.', {
    format: 'lines',
    absent: 'any',
    example: 'registry.example/agents/',
  }),
  'repositories.allowed': key('Repositories that Sessions may clone: prefixes.', {
    format: 'lines',
    absent: 'any',
    example: 'https://git.example/team/',
  }),
  'spawn.allowSecrets': key("Whether an agent's child may have Secrets that its parent has not.", {
    format: 'flag',
    absent: 'false',
    example: 'true',
  }),
  'spawn.allowImages': key("Whether an agent's child may have an image that its parent has not.", {
    format: 'flag',
    absent: 'false',
    example: 'true',
  }),
  'apply.kinds': key('Kinds that agents may propose to have applied.', {
    format: 'lines',
    absent: 'ConfigMap, Service, HorizontalPodAutoscaler.autoscaling, PodDisruptionBudget.policy',
    example: 'ConfigMap\nDeployment.apps',
  }),
  'apply.namespaces': key('Namespaces in which agents may propose to have objects applied.', {
    format: 'lines',
    absent: "the project's own",
    example: 'team-a\nteam-a-staging',
  }),
  'limits.maxSessions': key(
    'How many Sessions there may be, finished ones too: a ResourceQuota, which `tiny settings set` makes with your rights.',
    { format: 'count', absent: 'no limit', example: '20' },
  ),
  'apply.acceptFrom': key('Other projects whose agents may propose objects for this one.', {
    format: 'lines',
    absent: 'none',
    example: 'team-b',
  }),
  'channels.slack': key('The Slack channel in which people are told of Questions, by its id.', {
    format: 'text',
    absent: 'nobody is told in Slack',
    example: 'C0123456789',
  }),
  'channels.webhook': key('The HTTPS address that is told of Questions, signed.', {
    format: 'text',
    absent: 'none is told',
    example: 'https://hooks.example/tiny',
  }),
});

export type Settings = z.infer<typeof settings>;
export type Key = keyof Settings;

export const KEYS = Object.keys(settings.shape) as Key[];

export interface Described extends About {
  key: Key;
  description: string;
}

/** Every key with what is to be known of it, in the order of the reference page. */
export const DESCRIBED: Described[] = KEYS.map((name) => {
  const { description = '', ...about } = settings.shape[name].meta() as unknown as About & { description?: string };
  return { key: name, description, format: about.format, absent: about.absent, example: about.example };
});
