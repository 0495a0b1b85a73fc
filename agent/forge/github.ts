/** Pull requests of GitHub and GitHub Enterprise (docs.github.com/rest/pulls/pulls, version 2022-11-28). */
import { z } from 'zod';
import {
  callForge,
  type Forge,
  type ForgeOptions,
  openOrFind,
  type PullRequestDraft,
  understood,
  webAddress,
} from './request.ts';

const HEADERS = { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' };
const pull = z.object({ html_url: webAddress });

/** GitHub says 422 for a pull request that is open already, and for much else. */
export function github(options: ForgeOptions): Forge {
  const pulls = `/repos/${options.path.split('/').map(encodeURIComponent).join('/')}/pulls`;
  const owner = options.path.split('/')[0] ?? '';
  const call = (method: 'GET' | 'POST', path: string, given: { body?: unknown; signal: AbortSignal }) =>
    callForge(options, { method, path, headers: HEADERS, body: given.body }, given.signal);
  const existing = async (branch: string, signal: AbortSignal): Promise<string | undefined> => {
    const query = new URLSearchParams({ head: `${owner}:${branch}`, state: 'open' });
    const [found] = understood(z.array(pull), await call('GET', `${pulls}?${query}`, { signal }), options);
    return found?.html_url;
  };
  const make = async ({ title, body, branch, base, draft }: PullRequestDraft, signal: AbortSignal) =>
    understood(pull, await call('POST', pulls, { body: { title, body, head: branch, base, draft }, signal }), options)
      .html_url;
  return {
    open: (asked, signal) =>
      openOrFind(() => make(asked, signal), { code: 422, find: () => existing(asked.branch, signal) }),
  };
}
