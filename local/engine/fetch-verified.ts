/**
 * Downloads a file that must hash to what was pinned. It is hashed while it comes; what was cut is kept beside it and
 * gone on with, and only a file that is whole and right ever has its name.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Say } from './binaries.ts';

/** It can't be had; the message is one line that says of where, and why. */
export class NotDownloaded extends Error {
  override name = 'NotDownloaded';
}

export type Fetch = typeof globalThis.fetch;

/** How it is downloaded. */
export interface Way {
  fetch: Fetch;
  say: Say;
  signal?: AbortSignal | undefined;
  /** Milliseconds until the server has to have answered; default 5,000. */
  answerMs?: number;
  /** Milliseconds without a byte; default 30,000. */
  stallMs?: number;
}

export interface Pinned {
  url: string;
  algorithm: 'sha256' | 'sha512';
  /** In hexadecimal. */
  sum: string;
  /** What it is called in progress. */
  what: string;
  /** The media types that are asked for. */
  accept?: string;
}

const TRIES = 3;
const MB = 1e6;

const reason = (error: unknown): string => {
  const { cause, message, name } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return 'no answer in time';
  return cause?.code ?? cause?.message ?? message;
};

const failed = ({ url }: Pinned, why: string): NotDownloaded =>
  new NotDownloaded(`${new URL(url).host} ${why} (${url})`);

/** The answer to a request, if it comes in time. Throws `NotDownloaded` where none comes. */
async function answer(pinned: Pinned, way: Way, headers: Record<string, string>): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException('', 'TimeoutError')), way.answerMs ?? 5000);
  const signal = AbortSignal.any([late.signal, ...(way.signal ? [way.signal] : [])]);
  return way
    .fetch(pinned.url, { headers, signal })
    .catch((error: unknown) => {
      way.signal?.throwIfAborted();
      throw failed(pinned, `can't be reached: ${reason(error)}`);
    })
    .finally(() => clearTimeout(timer));
}

const NO_SUCH_RANGE = 416;

/** A good answer, or one that says that there is no rest. Throws `NotDownloaded`. */
async function ask(pinned: Pinned, way: Way, headers: Record<string, string>): Promise<Response> {
  const response = await answer(pinned, way, { accept: pinned.accept ?? '*/*', ...headers });
  if (response.ok || response.status === NO_SUCH_RANGE) return response;
  await response.body?.cancel();
  throw failed(pinned, `answers ${response.status}`);
}

async function hashed(file: string, algorithm: string): Promise<Hash> {
  const hash = createHash(algorithm);
  if (existsSync(file)) for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash;
}

/** The chunks of a body, each in time. */
async function* inTime(body: ReadableStream<Uint8Array>, stallMs: number): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { promise, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(new Error(`nothing came for ${stallMs / 1000} s`)), stallMs);
      const { done, value } = await Promise.race([reader.read(), promise]).finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);

/** Asks for what is missing; of a server that can't go on, for all. */
async function askRest(pinned: Pinned, way: Way, part: string): Promise<Response> {
  const size = sizeOf(part);
  const response = await ask(pinned, way, size ? { range: `bytes=${size}-` } : {});
  if (size && response.status !== 206) rmSync(part);
  if (response.status !== NO_SUCH_RANGE) return response;
  await response.body?.cancel();
  return ask(pinned, way, {});
}

/** Gets what is missing of `part`, and says what all of it hashes to. Throws where the rest is cut. */
async function fetchRest(pinned: Pinned, way: Way, part: string): Promise<string> {
  const response = await askRest(pinned, way, part);
  const hash = await hashed(part, pinned.algorithm);
  const all = sizeOf(part) + Number(response.headers.get('content-length') ?? 0);
  let have = sizeOf(part);
  if (!response.body) throw failed(pinned, 'answers nothing');
  const handle = await open(part, 'a');
  try {
    for await (const chunk of inTime(response.body, way.stallMs ?? 30_000)) {
      await handle.appendFile(chunk);
      hash.update(chunk);
      have += chunk.length;
      way.say(`downloading ${pinned.what}: ${(have / MB).toFixed(0)} of ${(all / MB).toFixed(0)} MB`);
    }
  } catch (error) {
    way.signal?.throwIfAborted();
    throw failed(pinned, `broke off after ${(have / MB).toFixed(1)} MB: ${reason(error)}`);
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

/** All of it in `part`; a cut is gone on from a few times, a server that can't be reached is not asked again. */
async function fetchAll(pinned: Pinned, way: Way, part: string): Promise<string> {
  for (let tried = 1; ; tried++) {
    const before = sizeOf(part);
    try {
      return await fetchRest(pinned, way, part);
    } catch (error) {
      const came = sizeOf(part) > before;
      if (!(error instanceof NotDownloaded) || !came || tried === TRIES) throw error;
    }
  }
}

/**
 * Puts the file at `file`. What came before a cut stays in `<file>.part` for the next time.
 *
 * @throws NotDownloaded where it can't be had, or is not what was pinned; that is thrown away.
 */
export async function fetchVerified(pinned: Pinned, file: string, way: Way): Promise<void> {
  const part = `${file}.part`;
  const sum = await fetchAll(pinned, way, part);
  if (sum !== pinned.sum) {
    rmSync(part);
    throw failed(pinned, `sent something else than was pinned: ${pinned.algorithm} ${sum}, not ${pinned.sum}`);
  }
  renameSync(part, file);
}
