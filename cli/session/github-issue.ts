/**
 * A Session from an issue of GitHub, without any function: by hand from the issue as it is now, in a job of GitHub Actions
 * from the event that has started the job, whose text nobody can change any more. It has the name that function `github`
 * would give it, so that one issue has one Session, whoever makes it.
 */
import { type GitHub, GitHubError, makeGitHub } from '../../lib/github/api.ts';
import { withBranches } from '../../lib/github/branches.ts';
import { type Act, readDelivery, UnreadableDelivery } from '../../lib/github/delivery.ts';
import type { Send } from '../../lib/github/http.ts';
import { mayWrite } from '../../lib/github/permission.ts';
import { subject } from '../../lib/github/prompt.ts';
import { sessionOf } from '../../lib/github/start.ts';
import { visible } from '../../lib/github/text.ts';
import type { App } from '../app.ts';
import { Failure, UsageError } from '../failure.ts';
import { safeLine } from '../output/safe.ts';

export interface FromIssue {
  name: string;
  prompt: string;
  annotations: Record<string, string>;
  repo: string;
  ref?: string;
}

interface Issue {
  repository: string;
  number: number;
}

function parse(text: string): Issue {
  const [, repository, number] = /^([\w.-]{1,100}\/[\w.-]{1,100})#([1-9]\d{0,9})$/.exec(text) ?? [];
  if (repository && number) return { repository, number: Number(number) };
  throw new UsageError(`--from-github-issue "${safeLine(text)}" must be OWNER/REPO#NUMBER`);
}

const sendBy =
  ({ fetch, signal }: App): Send =>
  async ({ url, ...asked }) => {
    const answer = await fetch(url, { ...asked, redirect: 'error', signal });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
  };

function githubOf(app: App): GitHub {
  const { token = '', api = 'https://api.github.com' } = app.env.github ?? {};
  return makeGitHub({ send: sendBy(app), url: api, token: async () => token, now: app.now });
}

/** Events that a schedule causes, or who may write to the repository; all others anybody may cause, by a comment alone. */
const BY_WRITERS = ['push', 'repository_dispatch', 'schedule', 'workflow_dispatch'];

/**
 * What has started the job. Whoever did it must be able to write to the repository. An event that asks for nothing, or for
 * something about another issue, is refused: to take the issue as it is now would be to do it for whoever caused the event.
 */
async function fromEvent(app: App, github: GitHub, { repository, number }: Issue): Promise<Act | undefined> {
  const { event } = app.env.github ?? {};
  if (!event || BY_WRITERS.includes(event.name)) return undefined;
  const delivered = readDelivery(event.name, Buffer.from(await app.readFile(event.path)).toString('utf8'));
  if ('ignored' in delivered)
    throw notAsked(`the event that has started this job asks for nothing: ${delivered.ignored}`);
  const { act } = delivered;
  if (act.repository.name.toLowerCase() !== repository.toLowerCase() || act.number !== number)
    throw notAsked(`the event that has started this job is about ${subject(act)}, not about ${repository}#${number}`);
  if (await mayWrite(github, act.repository.name, act.by)) return withBranches(act, github);
  throw new Failure(`${safeLine(act.by.login)} may not write to ${repository}, so nothing is started for them`);
}

const notAsked = (why: string): Failure =>
  new Failure(why, `The issue as it is now is taken in a job that one of these has started: ${BY_WRITERS.join(', ')}.`);

interface Read {
  title: string;
  body?: string | null;
  user?: { login: string } | null;
  pull_request?: { url?: string };
}
interface Repository {
  id: number;
  full_name: string;
  clone_url: string;
}

/** The issue as it is now. Whoever runs the command vouches for it. */
async function fromApi(app: App, github: GitHub, { repository, number }: Issue): Promise<Act> {
  const { id, full_name: name, clone_url: cloneUrl } = await github<Repository>('GET', `/repos/${repository}`);
  const issue = await github<Read>('GET', `/repos/${repository}/issues/${number}`);
  const act: Act = {
    repository: { id, name, cloneUrl },
    number,
    title: visible(issue.title).replaceAll('\n', ' '),
    body: visible(issue.body ?? ''),
    author: issue.user?.login ?? 'somebody',
    isPull: issue.pull_request !== undefined,
    by: { id: 0, login: 'Whoever started this' },
    at: app.now().toISOString(),
    key: 'command',
    said: '',
  };
  return withBranches(act, github);
}

function refused(error: unknown, { repository, number }: Issue): unknown {
  if (error instanceof UnreadableDelivery)
    return new Failure(`the event that started this job can't be read: ${error.message}`);
  if (!(error instanceof GitHubError)) return error;
  return new Failure(
    `${repository}#${number}: ${error.message}`,
    'GITHUB_TOKEN is the token that GitHub is asked with, GITHUB_API_URL where its REST API is.',
  );
}

/** What an issue asks for; `said` are words of whoever runs the command, besides. */
export async function fromGitHubIssue(app: App, text: string, said: string): Promise<FromIssue> {
  const issue = parse(text);
  const github = githubOf(app);
  try {
    const act = (await fromEvent(app, github, issue)) ?? (await fromApi(app, github, issue));
    const more = [act.said, said].filter(Boolean).join('\n\n');
    return madeOf({ ...act, said: more });
  } catch (error) {
    throw refused(error, issue);
  }
}

function madeOf(act: Act): FromIssue {
  const { metadata, spec } = sessionOf(act, { namespace: 'default' }, { username: subject(act) });
  const { url, ref } = spec.repository as { url: string; ref?: string };
  return {
    name: metadata.name,
    prompt: spec.prompt,
    annotations: metadata.annotations ?? {},
    repo: url,
    ...(ref && { ref }),
  };
}
