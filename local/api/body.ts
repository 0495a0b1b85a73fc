/** Reads a request's body as the API server would: JSON, YAML or protobuf, and not too much of it. */
import type { IncomingMessage } from 'node:http';
import { parse } from 'yaml';
import { ApiError } from '../../lib/kube/errors.ts';
import { badRequest } from './errors.ts';
import { fromProtobuf } from './protobuf.ts';

/** Bytes; the API server's own limit. */
const MAX_BODY = 3 * 1024 * 1024;

export const contentTypeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? 'application/json').split(';')[0]?.trim() ?? '';

/** Throws 400 for what can't be read, 413 for too much and 415 for an unknown type. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY) chunks.push(chunk);
  }
  if (size <= MAX_BODY) return size === 0 ? undefined : parsed(Buffer.concat(chunks), contentTypeOf(request));
  const message = `Request entity too large: limit is ${MAX_BODY}`;
  throw new ApiError(413, { reason: 'RequestEntityTooLarge', message });
}

const PARSERS: Record<string, (bytes: Buffer) => unknown> = {
  json: (bytes) => JSON.parse(bytes.toString()),
  yaml: (bytes) => parse(bytes.toString()),
  protobuf: fromProtobuf,
};

function parsed(bytes: Buffer, type: string): unknown {
  const parser = PARSERS[/[/+.](json|yaml|protobuf)$/.exec(type)?.[1] ?? ''];
  const known = 'accepted media types include: application/json, application/yaml';
  const message = `the body of the request was in an unknown format - ${known} (was ${type})`;
  if (!parser) throw new ApiError(415, { reason: 'UnsupportedMediaType', message });
  try {
    return parser(bytes);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw badRequest(`the object provided is unrecognized: couldn't read it as ${type}: ${(error as Error).message}`);
  }
}
