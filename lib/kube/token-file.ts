/** A bearer token in a file. The kubelet rotates projected tokens in place, so the file is read again and again. */
import { readFile } from 'node:fs';
import { promisify } from 'node:util';
import { ConnectionError } from './errors.ts';
import type { Credentials } from './transport.ts';

/** Not of `node:fs/promises`, which loads readline: several milliseconds of a function's cold start. */
const readText = promisify(readFile);

/** client-go's period: short against the token's 10 minutes, long against a burst of requests. */
const KEEP_MS = 60_000;

async function read(path: string): Promise<Credentials> {
  try {
    return { token: (await readText(path, 'utf8')).trim() };
  } catch (cause) {
    throw new ConnectionError(`can't read the token in ${path}: ${(cause as Error).message}`, { cause });
  }
}

/** Credentials from the file at `path`, read at most once a minute by `now` (milliseconds); a failed read is not kept. */
export function tokenFile(path: string, now: () => number): () => Promise<Credentials> {
  let kept: { credentials: Promise<Credentials>; until: number } | undefined;
  return () => {
    if (kept && now() < kept.until) return kept.credentials;
    const fresh = { credentials: read(path), until: now() + KEEP_MS };
    kept = fresh;
    fresh.credentials.catch(() => {
      if (kept === fresh) kept = undefined;
    });
    return fresh.credentials;
  };
}
