/** Answers as they go over the wire: JSON at once, tables where they are asked for, watches as they come. */
import type { ServerResponse } from 'node:http';
import type { Answer, Call } from './call.ts';
import { asTable, wantsTable } from './table.ts';
import { bookmarkOf, type WatchEvent, watch } from './watch.ts';

/** Bytes that may wait for a slow watcher; one that is further behind has to begin again. */
const MAX_BEHIND = 64 * 1024 * 1024;
/** Seconds; how long a watch lives that doesn't say. */
const WATCH_TIMEOUT = 1800;
/** Milliseconds between bookmarks, for a watch that asked for them. */
const BOOKMARK_INTERVAL = 30_000;

export function send(response: ServerResponse, { code, body }: { code: number; body: object | string }): void {
  const [type, text] = typeof body === 'string' ? ['text/plain', body] : ['application/json', JSON.stringify(body)];
  response.writeHead(code, { 'content-type': type, 'cache-control': 'no-cache, private' }).end(text);
}

/** Sends what a verb came to, as a table where the client wants one. */
export function sendAnswer(call: Call, response: ServerResponse, { code, body }: Answer): void {
  for (const warning of call.warnings) response.appendHeader('warning', `299 - ${JSON.stringify(warning)}`);
  send(response, { code, body: wantsTable(call) ? asTable(call, body) : body });
}

/** Streams a watch until its client goes or its time is over. */
export function sendWatch(call: Call, response: ServerResponse): void {
  const seconds = Number(call.query.get('timeoutSeconds') || WATCH_TIMEOUT);
  response.setHeader('content-type', 'application/json');
  const write = writer(call, response);
  const stop = watch(call, write);
  response.flushHeaders();
  const bookmark = () => call.query.get('allowWatchBookmarks') === 'true' && write(bookmarkOf(call));
  const regular = setInterval(bookmark, BOOKMARK_INTERVAL);
  const end = setTimeout(() => {
    bookmark();
    response.end();
  }, seconds * 1000);
  response.once('close', () => {
    clearInterval(regular);
    clearTimeout(end);
    stop();
  });
}

function writer(call: Call, response: ServerResponse): (event: WatchEvent) => void {
  const isRow = ({ type }: WatchEvent) => wantsTable(call) && type !== 'ERROR' && type !== 'BOOKMARK';
  let isFirst = true;
  return (event) => {
    if (response.writableEnded) return;
    const object = isRow(event) ? asTable(call, event.object, isFirst) : event.object;
    isFirst = false;
    response.write(`${JSON.stringify({ type: event.type, object })}\n`);
    if (event.type === 'ERROR') response.end();
    if (response.writableLength > MAX_BEHIND) response.destroy();
  };
}
