/** Reads a request's body as the API server would: JSON, YAML or protobuf, and not too much of it. */
import type { IncomingMessage } from 'node:http';
import { parse } from 'yaml';
import { ApiError } from '../../lib/kube/errors.ts';
import { contentTypeOf } from './call.ts';
import { badRequest, tooLarge, unsupportedType } from './errors.ts';
import { fromProtobuf } from './protobuf.ts';

/** Bytes; the API server's own limit. */
const MAX_BODY = 3 * 1024 * 1024;

const PARSERS: Record<string, (bytes: Buffer) => unknown> = {
  json: (bytes) => JSON.parse(bytes.toString()),
  yaml: (bytes) => parse(bytes.toString()),
  protobuf: fromProtobuf,
};

/** Throws 400 for what can't be read, 413 for too much and 415 for an unknown type. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY) chunks.push(chunk);
  }
  if (size > MAX_BODY) throw tooLarge(`Request entity too large: limit is ${MAX_BODY}`);
  return size === 0 ? undefined : parsed(Buffer.concat(chunks), contentTypeOf(request.headers));
}

function parsed(bytes: Buffer, type: string): unknown {
  const parser = PARSERS[/[/+.](json|yaml|protobuf)$/.exec(type)?.[1] ?? ''];
  if (!parser) throw unsupportedType(`the body of the request was in an unknown format: ${type}`);
  try {
    return parser(bytes);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw badRequest(`the object provided is unrecognized: couldn't read it as ${type}: ${(error as Error).message}`);
  }
}
