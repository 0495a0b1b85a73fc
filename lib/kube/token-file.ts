/** A bearer token in a file. The kubelet rotates projected tokens in place, so the file is read again and again. */
import { readFile } from 'node:fs/promises';
import type { Credentials } from './transport.ts';

/** client-go's period: short against the token's 10 minutes, long against a burst of requests. */
const KEEP_MS = 60_000;

/** Credentials from the file at `path`, read at most once a minute by `now` (milliseconds). */
export function tokenFile(path: string, now: () => number): () => Promise<Credentials> {
  let kept: { credentials: Promise<Credentials>; until: number } | undefined;
  const read = async (): Promise<Credentials> => ({ token: (await readFile(path, 'utf8')).trim() });
  return async () => {
    if (!kept || now() >= kept.until) {
      const fresh = { credentials: read(), until: now() + KEEP_MS };
      kept = fresh;
      fresh.credentials.catch(() => {
        if (kept === fresh) kept = undefined;
      });
    }
    return kept.credentials;
  };
}
