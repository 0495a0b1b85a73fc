/** Answers as they go over the wire: JSON at once, tables where they are asked for, watches and logs as they come. */
import type { ServerResponse } from 'node:http';
import type { Call } from './call.ts';
import { notImplemented } from './errors.ts';
import { type Logs, logTarget } from './subresources.ts';
import { asTable, wantsTable } from './table.ts';
import { bookmarkOf, type WatchEvent, watch } from './watch.ts';

type Json = Record<string, unknown>;

/** Bytes that may wait for a slow watcher; one that is further behind has to begin again. */
const MAX_BEHIND = 64 * 1024 * 1024;
/** Seconds; how long a watch lives that doesn't say. */
const WATCH_TIMEOUT = 1800;

export function send(
  response: ServerResponse,
  { code, body }: { code: number; body: Json | string },
  call?: Call,
): void {
  for (const warning of call?.warnings ?? []) response.appendHeader('warning', `299 - ${JSON.stringify(warning)}`);
  const isText = typeof body === 'string';
  response.writeHead(code, {
    'content-type': isText ? 'text/plain' : 'application/json',
    'cache-control': 'no-cache, private',
  });
  response.end(isText ? body : JSON.stringify(call && wantsTable(call.accept) ? asTable(call, body) : body));
}

/** Streams a watch until its client goes or its time is over; then `ended` is called. */
export function sendWatch(call: Call, response: ServerResponse, ended: () => void): void {
  const table = wantsTable(call.accept);
  let isFirst = true;
  const write = ({ type, object }: WatchEvent) => {
    const told = table && type !== 'ERROR' && type !== 'BOOKMARK' ? asTable(call, object, isFirst) : object;
    isFirst = false;
    response.write(`${JSON.stringify({ type, object: told })}\n`);
    if (type === 'ERROR') response.end();
    if (response.writableLength > MAX_BEHIND) response.destroy();
  };
  response.setHeader('content-type', 'application/json');
  const stop = watch(call, write);
  response.flushHeaders();
  const seconds = Number(call.query.get('timeoutSeconds') || WATCH_TIMEOUT);
  const timer = setTimeout(() => {
    if (call.query.get('allowWatchBookmarks') === 'true') write(bookmarkOf(call));
    response.end();
  }, seconds * 1000);
  response.once('close', () => {
    clearTimeout(timer);
    stop();
    ended();
  });
}

/** Streams the log of a container, to its end or as long as its client listens. */
export async function sendLog(call: Call, response: ServerResponse, logs: Logs | undefined): Promise<void> {
  if (!logs) throw notImplemented('logs: no node runs here');
  const { target, options } = logTarget(call);
  const abort = new AbortController();
  response.once('close', () => abort.abort());
  response.setHeader('content-type', 'text/plain');
  for await (const text of logs(target, options, abort.signal)) response.write(text);
  response.end();
}
