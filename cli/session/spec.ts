/** From the flags of `tiny new` to a Session that the cluster will take, refused here where it wouldn't. */
import { ALLOWABLE } from '../../lib/api/approvals.ts';
import { API_VERSION, type Person } from '../../lib/api/meta.ts';
import { violations } from '../../lib/api/rule.ts';
import { MAX_PROMPT_BYTES, type Session, sessionSpec } from '../../lib/api/session.ts';
import { sessionRules } from '../../lib/api/session-rules.ts';
import { UsageError } from '../failure.ts';
import { safeLine } from '../output/safe.ts';
import { didYouMean } from '../text/near.ts';
import { budgetOf } from './budget-flag.ts';

/** The options of `tiny new` that become part of the spec. */
export interface SpecOptions {
  repo?: string;
  ref?: string;
  repoSecret?: string;
  pushSecret?: string;
  pullRequests?: string;
  agent?: string;
  model?: string;
  baseUrl?: string;
  allow?: string[];
  allowCommand?: string[];
  budget?: string[];
  env?: string[];
  credentials?: string[];
  storage?: string;
  suspend?: boolean;
  suspendAfter?: string;
  deadline?: string;
}

/** Which flag sets the field at a path, so that a refusal names what was typed. */
const FLAGS: [path: string, flag: string][] = [
  ['metadata.name', '--name'],
  ['spec.prompt', 'the prompt'],
  ['spec.repository.url', '--repo'],
  ['spec.repository.ref', '--ref'],
  ['spec.repository.credentialsSecret', '--repo-secret'],
  ['spec.repository.push.credentialsSecret', '--push-secret'],
  ['spec.repository.push.pullRequests', '--pull-requests'],
  ['spec.agent.name', '--agent'],
  ['spec.agent.model', '--model'],
  ['spec.agent.baseUrl', '--base-url'],
  ['spec.agent.env', '--env'],
  ['spec.approvals.allow', '--allow'],
  ['spec.approvals.commands', '--allow-command'],
  ['spec.budget', '--budget'],
  ['spec.credentials', '--credentials'],
  ['spec.storage.size', '--storage'],
  ['spec.idle.suspendAfter', '--suspend-after'],
  ['spec.deadline', '--deadline'],
];

const flagOf = (path: string): string => FLAGS.find(([field]) => path.startsWith(field))?.[1] ?? path;

function variable(text: string): { name: string; value: string } {
  const at = text.indexOf('=');
  if (at > 0) return { name: text.slice(0, at), value: text.slice(at + 1) };
  throw new UsageError(`--env "${safeLine(text)}" must be NAME=VALUE`);
}

const KINDS: readonly string[] = ALLOWABLE;

function kinds(lists: readonly string[]): string[] {
  const all = lists.flatMap((list) => list.split(',')).map((kind) => kind.trim());
  const wrong = all.find((kind) => !KINDS.includes(kind));
  if (wrong === undefined) return [...new Set(all)];
  throw new UsageError(
    `--allow "${safeLine(wrong)}" is no kind of tool call`,
    didYouMean(wrong, KINDS),
    `The kinds: ${KINDS.join(', ')}.`,
  );
}

/** `fields` without those that were not given; nothing where none was. */
function given(fields: Record<string, unknown>): Record<string, unknown> | undefined {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length ? Object.fromEntries(entries) : undefined;
}

/** The repository, where it is cloned from and pushed to. */
function repositoryOf({ repo: url, ref, repoSecret, pushSecret, pullRequests }: SpecOptions) {
  if (pullRequests && !pushSecret)
    throw new UsageError(
      '--pull-requests opens them with the Secret that work is pushed with: name that with --push-secret',
    );
  if (!url && (ref || repoSecret || pushSecret))
    throw new UsageError('--ref, --repo-secret and --push-secret are about a repository: name that with --repo');
  const push = pushSecret && {
    credentialsSecret: pushSecret,
    ...(pullRequests && { pullRequests: { provider: pullRequests } }),
  };
  return given({ url, ref, credentialsSecret: repoSecret, push });
}

/** The spec as flags ask for it, before defaults. */
function asked(prompt: string, options: SpecOptions): Record<string, unknown> {
  const { agent, model, baseUrl, allow, allowCommand: commands, budget, env } = options;
  const { credentials, storage, suspend, suspendAfter, deadline } = options;
  return {
    prompt,
    ...given({
      agent: given({ name: agent, model, baseUrl, env: env?.map(variable) }),
      repository: repositoryOf(options),
      credentials: credentials?.map((secret) => ({ secret })),
      storage: given({ size: storage }),
      approvals: given({ allow: allow && kinds(allow), commands: commands && [...new Set(commands)] }),
      budget: budget && budgetOf(budget),
      idle: given({ suspendAfter }),
      suspend,
      deadline,
    }),
  };
}

/** How large a prompt may be, said before any schema, for that knows characters alone. */
function checkPrompt(prompt: string): void {
  const bytes = Buffer.byteLength(prompt, 'utf8');
  if (bytes <= MAX_PROMPT_BYTES) return;
  throw new UsageError(
    `the prompt has ${bytes} bytes, and at most ${MAX_PROMPT_BYTES} (${MAX_PROMPT_BYTES / 1024} KiB) are taken`,
    'Put longer text into a file of the repository and refer to it.',
  );
}

/** What identifies a new Session. */
export interface Identity {
  name: string;
  namespace: string;
  requester: Person | undefined;
}

/** The Session, whole, with every default; a UsageError names the flag and what to do. */
export function makeSession(prompt: string, options: SpecOptions, identity: Identity): Session {
  checkPrompt(prompt);
  const { name, namespace, requester } = identity;
  const parsed = sessionSpec.safeParse({ ...asked(prompt, options), ...(requester && { requester }) });
  if (!parsed.success) {
    throw refused(parsed.error.issues.map(({ path, message }) => ({ path: ['spec', ...path].join('.'), message })));
  }
  const session: Session = {
    apiVersion: API_VERSION,
    kind: 'Session',
    metadata: { name, namespace },
    spec: parsed.data,
  };
  const broken = violations(sessionRules, session);
  if (broken.length) throw refused(broken.map(placed));
  return session;
}

/** Rules of the whole object and of the whole spec say which field they mean in their own words. */
const placed = ({ path, message }: { path: string; message: string }) => ({
  path: path === '' ? 'metadata.name' : path === 'spec' ? 'spec.agent.name' : path,
  message,
});

function refused(problems: { path: string; message: string }[]): UsageError {
  const [first, ...others] = problems.map(({ path, message }) => `${flagOf(path)}: ${message}`);
  return new UsageError(`${first}`, ...others);
}
