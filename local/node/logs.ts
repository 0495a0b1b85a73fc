/**
 * Container logs: a file a life, written by the process itself. `kubectl logs` reads the current file, or the one
 * before. Lines carry no time, so `--timestamps` and `--since` have nothing to go by; a file has no bound.
 */
import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ApiError } from '../../lib/kube/errors.ts';
import type { LogOptions } from '../api/subresources.ts';
import { sleep } from '../controllers/loop.ts';
import { type Host, logFileOf, pidFileOf } from './host.ts';
import { type Pod, statusesOf } from './pod.ts';

const badRequest = (message: string) => new ApiError(400, { reason: 'BadRequest', message });

/** Which life's log is asked for. Throws `ApiError` 400 as the API server does. */
function lifeOf(pod: Pod, container: string, previous: boolean): number {
  const status = statusesOf(pod).find(({ name }) => name === container);
  const where = `container "${container}" in pod "${pod.metadata.name}"`;
  if (!status?.containerID)
    throw badRequest(`${where} is waiting to start: ${status?.state.waiting?.reason ?? 'ContainerCreating'}`);
  const life = status.restartCount - (previous ? 1 : 0);
  if (life < 0) throw badRequest(`previous terminated ${where} not found`);
  return life;
}

const lastLines = (text: string, count: number): string => {
  const all = text.split(/(?<=\n)/);
  return all.slice(Math.max(0, all.length - count)).join('');
};

/** What the file has grown by, piece after piece, until `ended` was true before the last look. */
async function* grow(file: FileHandle, from: number, { ended, signal }: { ended: () => boolean; signal: AbortSignal }) {
  let position = from;
  for (let isOver = false; !isOver && !signal.aborted; ) {
    isOver = ended();
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - position), 0, size - position, position);
    position += bytesRead;
    if (bytesRead > 0) yield buffer;
    await sleep(isOver ? 0 : 50, signal);
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
  yield tailLines === undefined ? text : Buffer.from(lastLines(text.toString(), tailLines));
  if (follow) yield* grow(file, text.length, { ended, signal });
}
