/**
 * The tools `push` and `open_pull_request`: a person sees the commits and says yes, and exactly those are pushed. The
 * yes is for that commit: asked again for it, as after a kill, it still holds, and for another one it does not.
 */
import { z } from 'zod';
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { type Forge, ForgeError } from '../forge/request.ts';
import { CredentialsError } from '../git/credentials.ts';
import { GitError } from '../git/git.ts';
import { BundleError } from '../push/bundle-header.ts';
import { type Prepared, type Push, PushRefusal } from '../push/push.ts';
import { pushFailure } from '../push/remote.ts';
import { type Redact, redactDeep } from '../redact.ts';
import type { Asking, Closed, Settled } from './asking.ts';
import { contentOf, type PullRequest, pushQuestion } from './push-question.ts';
import type { StatusWriter } from './status-writer.ts';
import { type ToolContext, ToolRefusal } from './tool.ts';

export interface Pushing {
  push: Push;
  forge: Forge | undefined;
  asking: Asking;
  status: StatusWriter;
  /** Takes the values of Secrets out of what is told. */
  redact: () => Redact;
}

/** GitHub's own limit of a title is 256 characters; a body may have 65,536, which with JSON's escapes a Question can't hold. */
export const pullRequestInput = {
  title: z.string().min(1, 'give it a title').max(256, 'shorten the title to 256 characters'),
  body: z
    .string()
    .max(16_384, 'shorten the body to 16384 characters')
    .describe('What was done and why, in Markdown, for whoever reviews it.'),
  base: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_./@+-]*$/, 'must be a branch')
    .optional()
    .describe('The branch to merge into. Default: the one that was cloned, else the default branch.'),
  draft: z.boolean().optional().describe('Whether it is not ready for review yet.'),
};
type PullRequestInput = z.infer<z.ZodObject<typeof pullRequestInput>>;

/** Pushes the agent's commits and tells where they are. Throws `ToolRefusal`. */
export async function push(pushing: Pushing, context: ToolContext): Promise<string> {
  const prepared = await inWords(() => pushing.push.prepare(context.signal));
  if (!prepared.isDone) await permitted(pushing, { prepared }, context);
  return told(await carriedOut(pushing, prepared, context), prepared);
}

/** Pushes, and opens a pull request or finds the one that is open. Throws `ToolRefusal`. */
export async function openPullRequest(
  pushing: Pushing,
  { input, session }: { input: PullRequestInput; session: Stored<Session> },
  context: ToolContext,
): Promise<string> {
  const { forge, status } = pushing;
  if (!forge)
    throw new ToolRefusal('this Session opens no pull requests: spec.repository.push.pullRequests is not set');
  const prepared = await inWords(() => pushing.push.prepare(context.signal));
  const base = input.base ?? baseOf(pushing, prepared);
  // As the Question shows it: what was said yes to is what is opened.
  const said = redactDeep({ title: input.title, body: input.body }, pushing.redact());
  const pullRequest: PullRequest = { ...said, base, draft: input.draft ?? false };
  await permitted(pushing, { prepared, pullRequest }, context);
  await carriedOut(pushing, prepared, context);
  const { branch } = prepared.target;
  const request = { ...pullRequest, body: signed(pullRequest.body, session), branch };
  const url = await inWords(() => forge.open(request, context.signal));
  await status.tell({ result: { pullRequest: url } });
  return `The pull request is open: ${url}`;
}

/** The branch that was cloned, if it is one, else the remote's default. */
function baseOf({ push: { repository } }: Pushing, { remote }: Prepared): string {
  const base = repository.ref !== undefined && remote.tips.has(repository.ref) ? repository.ref : remote.defaultBranch;
  if (base === undefined) throw new ToolRefusal('the remote names no default branch: say in `base` what to merge into');
  return base;
}

/** By whose wish it was made: added here and first, where the agent can neither leave it out nor hide it in a comment of its own. */
function signed(body: string, { metadata, spec }: Stored<Session>): string {
  const requester = spec.requester?.username.replaceAll('`', "'") ?? 'somebody';
  return `Opened by the agent of Session \`${metadata.namespace}/${metadata.name}\`, requested by \`${requester}\`.\n\n---\n\n${body}`;
}

type Proposed = { prepared: Prepared; pullRequest?: PullRequest };

async function permitted({ push: { repository }, asking }: Pushing, proposed: Proposed, context: ToolContext) {
  if (repository.push.unasked) return;
  const { session, signal, progress } = context;
  const inquiry = { ...proposed, session, url: repository.url };
  const spec = pushQuestion(inquiry);
  const asked = { content: contentOf(inquiry), spec: () => spec, signal, progress };
  const no = await asking.ask(asked, (_question, decision) => refusalIn(decision));
  if (no !== '') throw new ToolRefusal(no);
}

/** A yes holds for this commit as long as the Session lives; after a no the same can be asked again. */
function refusalIn(decision: Closed): Settled<string> {
  if (decision.state === 'expired') return { value: 'Nobody answered in time, so nothing was pushed.', again: true };
  if (decision.allowed) return { value: '', again: false };
  return { value: `Nothing was pushed: ${decision.by?.username ?? 'somebody'} said no.`, again: true };
}

async function carriedOut({ push: { carryOut }, status }: Pushing, prepared: Prepared, { signal }: ToolContext) {
  const { work, target, isDone } = prepared;
  if (!isDone) await inWords(() => carryOut(prepared, signal));
  await status.tell({ result: { pushed: { branch: target.branch, commit: work.head } } });
  return isDone;
}

const told = (wasThere: boolean, { work, target }: Prepared): string =>
  `${wasThere ? 'Already there' : 'Pushed'}: the branch ${target.branch} is ${work.head}, ${work.count} commits beyond where the work began.`;

/** What went wrong, for the agent. */
async function inWords<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof GitError) throw new ToolRefusal(`Nothing was pushed: ${pushFailure(error)}`);
    const isOurs = [PushRefusal, BundleError, CredentialsError, ForgeError].some((kind) => error instanceof kind);
    throw isOurs ? new ToolRefusal((error as Error).message) : error;
  }
}
