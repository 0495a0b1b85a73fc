/** Merge requests of GitLab (docs.gitlab.com/api/merge_requests). */
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

const mergeRequest = z.object({ web_url: webAddress });

/** GitLab says 409 for a merge request that is open already. */
export function gitlab(options: ForgeOptions): Forge {
  const requests = `/projects/${encodeURIComponent(options.path)}/merge_requests`;
  const existing = async (branch: string, signal: AbortSignal): Promise<string | undefined> => {
    const query = new URLSearchParams({ source_branch: branch, state: 'opened' });
    const answer = await callForge(options, { method: 'GET', path: `${requests}?${query}` }, signal);
    return understood(z.array(mergeRequest), answer, options)[0]?.web_url;
  };
  const make = async ({ title, body, branch, base, draft }: PullRequestDraft, signal: AbortSignal) => {
    const asked = {
      title: draft ? `Draft: ${title}` : title,
      description: body,
      source_branch: branch,
      target_branch: base,
    };
    const made = await callForge(options, { method: 'POST', path: requests, body: asked }, signal);
    return understood(mergeRequest, made, options).web_url;
  };
  return {
    open: (asked, signal) =>
      openOrFind(() => make(asked, signal), { code: 409, find: () => existing(asked.branch, signal) }),
  };
}
