/** The environment of a function, read once. The only place that reads `process.env` for functions. */
import * as z from 'zod/mini';
import { DEFAULT_MAX_AGE, MAX_AGE } from '../lib/session/stamp-age.ts';

const port = z.pipe(
  z.string().check(z.regex(/^[0-9]{1,5}$/)),
  z.pipe(
    z.transform((text: string) => Number(text)),
    z.number().check(z.maximum(65535)),
  ),
);

const schema = z.object({
  /** Where to listen; Knative says it. */
  PORT: z.prefault(port, '8080'),
  /** On which address; absent, as in Knative: on all. */
  HOST: z.optional(z.string().check(z.minLength(1))),
  /** Where the API server is; the kubelet says it. */
  KUBERNETES_SERVICE_HOST: z.string().check(z.minLength(1)),
  KUBERNETES_SERVICE_PORT: z.prefault(port, '443'),
  /** The folder of the projected token and the API server's CA. */
  TINY_CREDENTIALS: z._default(z.string(), '/var/run/secrets/tiny'),
  /** Where the images of Sessions' pods are, `HOST[/PATH]`; `tiny install --registry` says it. */
  TINY_REGISTRY: z.optional(z.string().check(z.minLength(1))),
  /** How old a stamp may be for which functions act, where a project's settings say nothing: whole hours. */
  TINY_MAX_AGE: z._default(z.string().check(z.regex(MAX_AGE)), DEFAULT_MAX_AGE),
  /** Of function `sweep`: where the functions are that it hands things to. */
  TINY_SESSION_URL: z.optional(z.string().check(z.minLength(1))),
  TINY_QUESTION_URL: z.optional(z.string().check(z.minLength(1))),
  /** The folders of what is mounted: secrets of channels, who people are, and which project is whose. */
  TINY_CHANNELS: z._default(z.string(), '/etc/tiny/channels'),
  TINY_IDENTITIES: z._default(z.string(), '/etc/tiny/identities'),
  TINY_INTAKE: z._default(z.string(), '/etc/tiny/intake'),
  /** Where Slack's Web API is. */
  TINY_SLACK_API: z._default(z.string(), 'https://slack.com/api/'),
  /** Where function `slack` is, to be woken when a Question is posted that somebody will press. */
  TINY_SLACK_URL: z.optional(z.string().check(z.minLength(1))),
  /** Of function `github`: the folder of the webhook's secret and the token, and where GitHub's REST API is. */
  TINY_GITHUB: z._default(z.string(), '/etc/tiny/github'),
  TINY_GITHUB_API: z._default(z.string().check(z.regex(/^https?:\/\/\S+[^/\s]$/)), 'https://api.github.com'),
  /** `true`: a project's webhook may be at an address that is not public. */
  TINY_WEBHOOKS_ANYWHERE: z._default(z.enum(['true', 'false']), 'false'),
  LOG_LEVEL: z._default(z.enum(['debug', 'info', 'warn', 'error', 'silent']), 'info'),
});

export type Environment = z.infer<typeof schema>;

/** Throws with the names of what is missing or wrong, and no values. */
export function environment(): Environment {
  const result = z.safeParse(schema, process.env);
  if (result.success) return result.data;
  const names = result.error.issues.map(({ path }) => path.join('.'));
  throw new Error(
    `the environment lacks or has an unusable ${names.join(', ')}; a function is started by Knative from knative/`,
  );
}
