/**
 * Container logs: a file a life, written by the process itself. `kubectl logs` reads the current file, or the one
 * before. They are bounded by copy and truncate, since the process holds the file: lines written in between are lost.
 * Lines carry no time, so `--timestamps` and `--since` have nothing to go by.
 */
import { copyFileSync, existsSync, globSync, statSync, truncateSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../lib/kube/errors.ts';
import type { LogOptions } from '../api/subresources.ts';
import { sleep } from '../controllers/loop.ts';
import { type Host, logFileOf, pidFileOf, podFolder } from './host.ts';
import type { Pod } from './pod.ts';

/** The most that one file holds, in bytes, as the kubelet's `containerLogMaxSize`. */
const MAX_LOG = 10 * 1024 * 1024;

/** Puts aside (one file, overwritten) what has grown too long. */
export function bound(host: Host, uid: string): void {
  for (const file of globSync(join(podFolder(host, uid), 'logs', '*', '*.log')).filter(
    (path) => statSync(path).size > MAX_LOG,
  )) {
    copyFileSync(file, `${file}.1`);
    truncateSync(file);
  }
}

const badRequest = (message: string) => new ApiError(400, { reason: 'BadRequest', message });

/** Which life's log is asked for. Throws `ApiError` 400 as the API server does. */
export function lifeOf({ metadata, status = {} }: Pod, container: string, previous: boolean): number {
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const one = statuses.find(({ name }) => name === container);
  const where = `container "${container}" in pod "${metadata.name}"`;
  if (!one?.containerID)
    throw badRequest(`${where} is waiting to start: ${one?.state.waiting?.reason ?? 'ContainerCreating'}`);
  const life = one.restartCount - (previous ? 1 : 0);
  if (life < 0) throw badRequest(`previous terminated ${where} not found`);
  return life;
}

/** Where the last `lines` lines begin. */
const tailStart = (text: Buffer, lines: number): number => {
  if (lines <= 0) return text.length;
  let end = text.at(-1) === 10 ? text.length - 1 : text.length;
  for (let left = lines; left > 0 && end > 0; left--) end = text.subarray(0, end).lastIndexOf(10);
  return end + (end > 0 || text[0] === 10 ? 1 : 0);
};

/** What the file has grown by, piece after piece, until `ended` was true before the last look. */
async function* grow(file: FileHandle, from: number, { ended, signal }: { ended: () => boolean; signal: AbortSignal }) {
  let position = from;
  for (let over = false; !over && !signal.aborted; ) {
    over = ended();
    const { size } = await file.stat();
    if (size < position) position = 0;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - position), 0, size - position, position);
    position += bytesRead;
    if (bytesRead > 0) yield buffer;
    await sleep(over ? 0 : 50, signal);
  }
}

interface Wanted extends LogOptions {
  container: string;
  signal: AbortSignal;
}

/** The log as it is, then with `follow` as it grows, until the container's life ends. */
export async function* readLog(host: Host, pod: Pod, wanted: Wanted): AsyncGenerator<Buffer> {
  const { container: name, follow, previous, tailLines, signal } = wanted;
  const { uid } = pod.metadata;
  const life = lifeOf(pod, name, previous);
  const path = logFileOf(host, uid, { name, life });
  if (!existsSync(path)) return;
  const next = logFileOf(host, uid, { name, life: life + 1 });
  const ended = () => !existsSync(pidFileOf(host, uid, name)) || existsSync(next);
  await using file = await open(path);
  const text = await file.readFile();
  yield text.subarray(tailLines === undefined ? 0 : tailStart(text, tailLines));
  if (follow) yield* grow(file, text.length, { ended, signal });
}
