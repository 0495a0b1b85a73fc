/** Reads what the API server answers, within bounds, and turns what is no success into a typed error. Pure but for reading. */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, type ApiStatus, ConnectionError } from './errors.ts';

/** All of `chunks` as text. @throws ConnectionError where it is longer than `limit` bytes. */
export async function readText(chunks: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) throw new ConnectionError(`the API server's answer is longer than ${limit} bytes`);
    kept.push(chunk);
  }
  return Buffer.concat(kept).toString('utf8');
}

function asStatus(text: string): ApiStatus | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return (value as { kind?: unknown } | null)?.kind === 'Status' ? (value as ApiStatus) : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` in seconds: a number, or a date as proxies send it. */
function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

/** An answer that is no success. */
export interface Refusal {
  /** The request, for a person. */
  what: string;
  code: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Milliseconds since 1970. */
  now: number;
}

/** The error that a refusal is; one whose body is no `Status` (a proxy's, an unknown path's) has no reason. */
export function apiError({ what, code, headers, text, now }: Refusal): ApiError {
  const brief = text.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
  const status = asStatus(text) ?? { message: `${what} was answered with ${code}${brief && `: ${brief}`}` };
  const seconds = status.details?.retryAfterSeconds ?? retryAfter(headers['retry-after'], now);
  if (seconds === undefined) return new ApiError(code, status);
  return new ApiError(code, { ...status, details: { ...status.details, retryAfterSeconds: seconds } });
}
