/**
 * The environment of the programs that run in a session's pod, read once each through one schema. No other file of
 * `agent/` looks at `process.env`.
 */
import { z } from 'zod';
import { approvals } from '../lib/api/approvals.ts';
import { push, repository } from '../lib/api/repository.ts';
import { duration, timestamp } from '../lib/api/schema-parts.ts';
import { agent } from '../lib/api/session-parts.ts';

const clonedRepository = repository.omit({ credentialsSecret: true, push: true });
const pushedRepository = z.object({
  url: repository.shape.url,
  ref: repository.shape.ref,
  push: push.omit({ credentialsSecret: true }),
});
export type PushedRepository = z.infer<typeof pushedRepository>;

/** What the harness is told of its Session's spec; the prompt comes as a file. */
const sessionConfig = z.object({
  agent: agent.pick({ name: true, command: true, args: true, model: true, baseUrl: true, mode: true }),
  repository: clonedRepository.optional(),
  approvals: approvals.default({ allow: ['read', 'search', 'think'] }),
  idle: z
    .object({
      suspendAfter: duration().optional(),
      finishAfter: duration().default('0s'),
      stalledAfter: duration().default('0s'),
    })
    .default({ finishAfter: '0s', stalledAfter: '0s' }),
  deadlineAt: timestamp().optional(),
});
export type SessionConfig = z.infer<typeof sessionConfig>;

const json = z.string().transform((text, context) => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
});

const named = z.object({
  TINY_NAMESPACE: z.string().min(1),
  TINY_SESSION: z.string().min(1),
  TINY_SESSION_UID: z.string().min(1),
});

const identity = named.extend({
  TINY_RUN: z.string().min(1),
  TINY_STATE: z.string().min(1),
});

const harness = identity.extend({
  TINY_WORKSPACE: z.string().min(1),
  TINY_PROMPT: z.string().min(1),
  TINY_PROMPT_SHA256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal'),
  TINY_HOME: z.string().min(1),
  TINY_CONFIG: json.pipe(sessionConfig),
  TINY_SECRETS: z.string().min(1).optional(),
});

const clone = named.extend({
  TINY_WORKSPACE: z.string().min(1),
  TINY_REPOSITORY: json.pipe(clonedRepository),
  TINY_GIT_CREDENTIALS: z.string().min(1).optional(),
  PATH: z.string().default(''),
});

const tools = identity.extend({
  TINY_CREDENTIALS: z.string().min(1),
  KUBERNETES_SERVICE_HOST: z.string().min(1),
  KUBERNETES_SERVICE_PORT: z.string().min(1),
  TINY_SECRETS: z.string().min(1).optional(),
  TINY_REPOSITORY: json.pipe(pushedRepository).optional(),
  TINY_PUSH_CREDENTIALS: z.string().min(1).optional(),
  PATH: z.string().default(''),
});

/** What the schema wants and the environment lacks, in words. */
export class EnvironmentError extends Error {
  override name = 'EnvironmentError';
}

function read<T>(schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(process.env);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new EnvironmentError(
    `the environment of this container is not what the Session's pod gives: ${wrong.join('; ')}`,
  );
}

export interface Identity {
  namespace: string;
  session: string;
  sessionUid: string;
  /** Folder of the sockets. */
  run: string;
  /** Folder on the volume, this container's own. */
  state: string;
}

export interface HarnessEnv extends Identity {
  workspace: string;
  promptFile: string;
  promptSha256: string;
  /** Folder of the programs. */
  programs: string;
  config: SessionConfig;
  /** Folder of the mounted Secrets whose values are the agent's variables. */
  secrets: string | undefined;
  /** What a child process gets: everything but our own variables. */
  inherited: Record<string, string>;
}

export interface ToolsEnv extends Identity {
  credentials: string;
  host: string;
  port: string;
  /** As for the harness. */
  secrets: string | undefined;
  /** What the agent's work is pushed to, and the mounted Secret for it; absent where nothing is pushed. */
  push: { repository: PushedRepository; credentials: string } | undefined;
  /** Where programs are found. */
  path: string;
}

export interface CloneEnv extends Pick<Identity, 'namespace' | 'session'> {
  workspace: string;
  repository: z.infer<typeof clonedRepository>;
  /** The mounted Secret to clone with. */
  gitCredentials: string | undefined;
  /** Where programs are found. */
  path: string;
}

const identityOf = (env: z.infer<typeof identity>): Identity => ({
  namespace: env.TINY_NAMESPACE,
  session: env.TINY_SESSION,
  sessionUid: env.TINY_SESSION_UID,
  run: env.TINY_RUN,
  state: env.TINY_STATE,
});

/** The harness's environment. Throws `EnvironmentError`. */
export function harnessEnv(): HarnessEnv {
  const env = read(harness);
  return {
    ...identityOf(env),
    workspace: env.TINY_WORKSPACE,
    promptFile: env.TINY_PROMPT,
    promptSha256: env.TINY_PROMPT_SHA256,
    programs: env.TINY_HOME,
    config: env.TINY_CONFIG,
    secrets: env.TINY_SECRETS,
    inherited: inherited(),
  };
}

/** The tools' environment. Throws `EnvironmentError`. */
export function toolsEnv(): ToolsEnv {
  const env = read(tools);
  return {
    ...identityOf(env),
    credentials: env.TINY_CREDENTIALS,
    host: env.KUBERNETES_SERVICE_HOST,
    port: env.KUBERNETES_SERVICE_PORT,
    secrets: env.TINY_SECRETS,
    push:
      env.TINY_REPOSITORY && env.TINY_PUSH_CREDENTIALS !== undefined
        ? { repository: env.TINY_REPOSITORY, credentials: env.TINY_PUSH_CREDENTIALS }
        : undefined,
    path: env.PATH,
  };
}

/** The environment of the container that clones. Throws `EnvironmentError`. */
export function cloneEnv(): CloneEnv {
  const env = read(clone);
  return {
    namespace: env.TINY_NAMESPACE,
    session: env.TINY_SESSION,
    workspace: env.TINY_WORKSPACE,
    repository: env.TINY_REPOSITORY,
    gitCredentials: env.TINY_GIT_CREDENTIALS,
    path: env.PATH,
  };
}

/** The rehearsal's environment: where its conversations are kept, and what its commands get. Throws `EnvironmentError`. */
export function rehearsalEnv(): { home: string; inherited: Record<string, string> } {
  return { home: read(z.object({ HOME: z.string().min(1) })).HOME, inherited: inherited() };
}

function inherited(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name, value]) => value !== undefined && !name.startsWith('TINY_'));
  return Object.fromEntries(own) as Record<string, string>;
}
