/** GitHub's REST API, as far as it is used (https://docs.github.com/rest), with its refusals in words for a person. */
import { ServiceError } from '../service-error.ts';
import type { Incoming, Send } from './http.ts';

/** GitHub did not do it. */
export class GitHubError extends ServiceError {
  override name = 'GitHubError';
}

export interface GitHubOptions {
  send: Send;
  /** `https://api.github.com`, or `https://HOST/api/v3` of an Enterprise Server. */
  url: string;
  /** Read anew for each request; empty: without one. Throws `GitHubError`. */
  token: () => Promise<string>;
  now: () => Date;
}

export type Method = 'GET' | 'POST' | 'PATCH';

/** One request; `path` begins with `/`. Throws `GitHubError`. */
export type GitHub = <T>(method: Method, path: string, body?: object) => Promise<T>;

export function makeGitHub({ send, url, token, now }: GitHubOptions): GitHub {
  return async <T>(method: Method, path: string, body?: object) => {
    const bearer = await token();
    const headers = {
      accept: 'application/vnd.github+json',
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      'user-agent': 'tiny',
      'x-github-api-version': '2022-11-28',
      ...(body && { 'content-type': 'application/json' }),
    };
    const asked = { method, url: url + path, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await send(asked).catch(() => {
      throw new GitHubError('Unavailable', 'GitHub can not be reached', { passes: true });
    });
    return read<T>(answer, now().getTime());
  };
}

function read<T>(answer: Incoming, now: number): T {
  if (answer.status >= 200 && answer.status < 300) return parsed(answer.text) as T;
  throw refusalOf(answer, now);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new GitHubError('Unavailable', "an answer came that is not GitHub's", { passes: true });
  }
}

/** https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit */
function waitOf({ status, headers }: Incoming, now: number): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  if (headers['retry-after'] !== undefined) return Math.max(1, Number(headers['retry-after']) || 60);
  if (headers['x-ratelimit-remaining'] === '0')
    return Math.max(1, Math.ceil(Number(headers['x-ratelimit-reset']) - now / 1000) || 60);
  return status === 429 ? 60 : undefined;
}

const ADVICE: Record<number, [reason: string, words: string]> = {
  401: ['TokenRefused', 'GitHub does not take the token; put a new one into Secret tiny-github of tiny-system'],
  403: ['NotPermitted', 'GitHub does not permit it to this token; docs/github.md says what it needs'],
  404: ['NotFound', 'GitHub has no such thing, or does not show it to this token'],
  410: ['NotFound', 'GitHub no longer has it'],
  422: ['Refused', 'GitHub does not take it'],
};

function refusalOf(answer: Incoming, now: number): GitHubError {
  const { status } = answer;
  const retryAfterSeconds = waitOf(answer, now);
  if (retryAfterSeconds !== undefined)
    return new GitHubError('RateLimited', 'GitHub asks to wait', { passes: true, retryAfterSeconds });
  if (status >= 500) return new GitHubError('Unavailable', `GitHub answered ${status}`, { passes: true });
  const [reason, words] =
    ADVICE[status] ??
    (status >= 300 && status < 400
      ? ['Moved', 'the repository has moved: name it anew in ConfigMap tiny-intake']
      : ['Refused', `GitHub answered ${status}`]);
  return new GitHubError(reason, words, { passes: false });
}
