/**
 * One request to a host's REST API. It follows no redirect, which would carry the token elsewhere, and its answer is read
 * to a limit: the host is somebody else's program.
 */
import { z } from 'zod';

/** The API refused, or answered what can't be read, in words for the agent. */
export class ForgeError extends Error {
  override name = 'ForgeError';
  readonly code: number;

  constructor(message: string, code = 0) {
    super(message);
    this.code = code;
  }
}

export interface PullRequestDraft {
  title: string;
  body: string;
  /** The branch that was pushed. */
  branch: string;
  /** The branch to merge into. */
  base: string;
  draft: boolean;
}

export interface Forge {
  /** Opens it and gives its URL; where one is open for the branch, that one's. Throws `ForgeError`. */
  open(request: PullRequestDraft, signal: AbortSignal): Promise<string>;
}

export interface ForgeOptions {
  fetch: typeof fetch;
  /** Without a slash at its end. */
  api: string;
  /** The repository at the host, such as `owner/name`. */
  path: string;
  token: () => string;
}

/** An address that people are shown. */
export const webAddress = z.url({ protocol: /^https?$/ }).max(2048);

const DEADLINE_MS = 30_000;
const MAX_ANSWER = 1024 * 1024;

export interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The answer's JSON. Throws `ForgeError` with the host's own words. */
export async function callForge(
  { fetch, api, token }: ForgeOptions,
  { method, path, body, headers }: Call,
  signal: AbortSignal,
): Promise<unknown> {
  const response = await fetch(`${api}${path}`, {
    method,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
    headers: {
      authorization: `Bearer ${token()}`,
      'user-agent': 'tiny',
      'content-type': 'application/json',
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: Error & { cause?: Error }) => {
    signal.throwIfAborted();
    throw new ForgeError(`the API at ${api} can't be reached: ${error.cause?.message ?? error.message}`);
  });
  const text = (await response.text()).slice(0, MAX_ANSWER);
  if (!response.ok)
    throw new ForgeError(`the API at ${api} answered ${response.status}: ${text.slice(0, 1000)}`, response.status);
  try {
    return JSON.parse(text);
  } catch {
    throw new ForgeError(`the API at ${api} answered something that is no JSON`);
  }
}

/** `value` as `schema` has it. Throws `ForgeError`. */
export function understood<T>(schema: z.ZodType<T>, value: unknown, { api }: ForgeOptions): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ForgeError(`the API at ${api} answered something that is not understood`);
}

/** Opens, or where the host answers with `code`, which it does for one that is open already, finds that one. */
export async function openOrFind(
  open: () => Promise<string>,
  { code, find }: { code: number; find: () => Promise<string | undefined> },
): Promise<string> {
  try {
    return await open();
  } catch (error) {
    const found = error instanceof ForgeError && error.code === code ? await find() : undefined;
    if (found === undefined) throw error;
    return found;
  }
}
