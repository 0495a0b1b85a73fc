/** Reads a request's body as the API server would: JSON, or YAML where it is applied, and not too much of it. */
import type { IncomingMessage } from 'node:http';
import { parse } from 'yaml';
import { StatusError } from '../types.ts';
import { badRequest } from './errors.ts';

/** Bytes; the API server's own limit. */
const MAX_BODY = 3 * 1024 * 1024;

export const contentTypeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? 'application/json').split(';')[0]?.trim() ?? '';

/** Throws 400 for what can't be read, 413 for too much and 415 for what is neither JSON nor YAML. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) throw tooLarge(`Request entity too large: limit is ${MAX_BODY}`);
    chunks.push(chunk);
  }
  return size === 0 ? undefined : parsed(Buffer.concat(chunks).toString('utf8'), contentTypeOf(request));
}

export const tooLarge = (message: string): StatusError =>
  new StatusError(413, { reason: 'RequestEntityTooLarge', message });

function parsed(text: string, type: string): unknown {
  if (!/[/+](json|yaml)$/.test(type)) {
    const message = `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml (was ${type})`;
    throw new StatusError(415, { reason: 'UnsupportedMediaType', message });
  }
  try {
    return type.endsWith('yaml') ? parse(text) : JSON.parse(text);
  } catch (error) {
    throw badRequest(`the object provided is unrecognized: couldn't parse it: ${(error as Error).message}`);
  }
}
