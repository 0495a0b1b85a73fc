/**
 * The token that GitHub is asked with, from the files of Secret tiny-github: `token` as it stands there, or one that is got
 * for a GitHub App's installation (`app-id`, `installation-id`, `private-key`), which holds for an hour.
 */
import { createSign } from 'node:crypto';
import { GitHubError, type GitHubOptions, makeGitHub } from './api.ts';

export interface Credentials {
  token: string;
  appId: string;
  installationId: string;
  /** PEM. */
  privateKey: string;
}

/** Seconds before its end that a token is no longer used. */
const MARGIN = 300;

const encoded = (value: object | Buffer): string =>
  (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))).toString('base64url');

/** https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app */
export function appToken({ appId, privateKey }: Pick<Credentials, 'appId' | 'privateKey'>, now: number): string {
  const seconds = Math.floor(now / 1000);
  const claims = { iat: seconds - 60, exp: seconds + 540, iss: appId };
  const signed = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
  return `${signed}.${encoded(createSign('RSA-SHA256').update(signed).sign(privateKey))}`;
}

const none = () =>
  new GitHubError('NotConfigured', 'Secret tiny-github of tiny-system holds neither token nor a GitHub App', {
    passes: false,
  });

function signed(credentials: Credentials, now: number): string {
  try {
    return appToken(credentials, now);
  } catch {
    throw new GitHubError('NotConfigured', 'private-key in Secret tiny-github is no private key', { passes: false });
  }
}

/** The token as it is at each call. Throws `GitHubError`. */
export function tokens(
  credentials: () => Credentials,
  { send, url, now }: Omit<GitHubOptions, 'token'>,
): () => Promise<string> {
  let known: { of: string; token: string; until: number } | undefined;
  return async () => {
    const given = credentials();
    if (given.token) return given.token;
    const { appId, installationId, privateKey } = given;
    if (!appId || !/^[0-9]+$/.test(installationId) || !privateKey) throw none();
    const at = now().getTime();
    if (known?.of === JSON.stringify(given) && known.until > at) return known.token;
    const asApp = makeGitHub({ send, url, now, token: async () => signed(given, at) });
    const made = await asApp<{ token: string; expires_at: string }>(
      'POST',
      `/app/installations/${installationId}/access_tokens`,
    );
    known = { of: JSON.stringify(given), token: made.token, until: Date.parse(made.expires_at) - MARGIN * 1000 };
    return made.token;
  };
}
