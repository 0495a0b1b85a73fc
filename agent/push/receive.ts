/** Gets the bundle from the harness: its head is read, its pack goes into a file. */

import { createWriteStream, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { BundleError, type BundleHeader, bundleHeader } from './bundle-header.ts';

/** The largest bundle, in bytes. */
export const MAX_BUNDLE = 512 * 1024 * 1024;

export interface Received extends BundleHeader {
  /** The file of the pack. */
  pack: string;
}

/** Asks the harness behind `socketPath`. Throws `BundleError` with its words, or a connection's error. */
export async function receiveBundle(socketPath: string, pack: string, signal: AbortSignal): Promise<Received> {
  const response = await ask(socketPath, signal);
  if (response.statusCode !== 200) throw new BundleError(await refusal(response));
  rmSync(pack, { force: true });
  return { ...(await store(response, pack)), pack };
}

function ask(socketPath: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path: '/bundle', agent: false, signal }, resolve).once('error', reject).end();
  });
}

async function refusal(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response as AsyncIterable<Buffer>) if (text.length < 8192) text += chunk.toString('utf8');
  try {
    return String((JSON.parse(text) as { error?: unknown }).error);
  } catch {
    return `the harness answered ${response.statusCode}`;
  }
}

async function store(response: IncomingMessage, pack: string): Promise<BundleHeader> {
  let header: BundleHeader | undefined;
  const found = (one: BundleHeader) => {
    header = one;
  };
  await pipeline(packIn(limited(response), found), createWriteStream(pack, { flags: 'wx', mode: 0o600 }));
  if (!header) throw new BundleError('the bundle ends in its head');
  return header;
}

async function* limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_BUNDLE) throw new BundleError(`the work is larger than ${MAX_BUNDLE} bytes: push less of it`);
    yield chunk;
  }
}

/** What comes after the head, which `found` is given. */
async function* packIn(chunks: AsyncIterable<Buffer>, found: (header: BundleHeader) => void): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) yield chunk;
    else {
      head = Buffer.concat([head, chunk]);
      const header = bundleHeader(head);
      if (!header) continue;
      found(header);
      yield head.subarray(header.length);
      head = undefined;
    }
  }
}
