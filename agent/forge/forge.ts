/** Where pull requests are opened: what each host's API is asked for, over one small request with a deadline. */
import type { PushedRepository } from '../env.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { type Forge, ForgeError, type ForgeOptions } from './request.ts';

type PullRequests = NonNullable<PushedRepository['push']['pullRequests']>;

const PROVIDER = { github, gitlab };
const PUBLIC_API = {
  github: { host: 'github.com', api: 'https://api.github.com' },
  gitlab: { host: 'gitlab.com', api: 'https://gitlab.com/api/v4' },
};

/** Host and path of a repository's URL, without the suffix `.git`. */
export function placeOf(url: string): { host: string; path: string } {
  const long = /^(?:https?|ssh):\/\/(?:[^@/]*@)?([^:/]+)(?::[0-9]+)?\/(.*)$/.exec(url);
  const [, host = '', path = ''] = long ?? /^[^@/]*@([^:/]+):(.*)$/.exec(url) ?? [];
  return { host: host.toLowerCase(), path: path.replace(/\/+$/, '').replace(/\.git$/, '') };
}

/** The API of the repository's host; `undefined` where the spec names none. Throws `ForgeError` where it can't be told. */
export function forgeOf(
  { url, push: { pullRequests } }: PushedRepository,
  options: Omit<ForgeOptions, 'api' | 'path'>,
): Forge | undefined {
  if (!pullRequests) return undefined;
  const { host, path } = placeOf(url);
  return PROVIDER[pullRequests.provider]({ ...options, api: apiOf(pullRequests, host), path });
}

function apiOf({ provider, api }: PullRequests, host: string): string {
  const known = PUBLIC_API[provider];
  if (api !== undefined) return api;
  if (host === known.host) return known.api;
  throw new ForgeError(`say in spec.repository.push.pullRequests.api where the API of ${host} is`);
}
