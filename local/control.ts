/**
 * How `tiny status` and the demo ask a running local cluster what its functions do: a Unix socket in its folder that
 * answers each connection with one JSON object and closes.
 */
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { Functions } from './functions/runner.ts';

export interface Report {
  /** Names of the functions that have a process now. */
  functions: string[];
  /** By function: milliseconds of each cold start. */
  coldStarts: Record<string, number[]>;
}

/** Below 104 bytes wherever the folder is: the socket's path is relative to it. */
const socketIn = (folder: string) => join(folder, 'control.sock');

export function startControl(folder: string, functions: Functions): { stop(): void } {
  rmSync(socketIn(folder), { force: true });
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(JSON.stringify({ functions: functions.running(), coldStarts: functions.coldStarts() } satisfies Report));
  });
  server.listen(socketIn(folder));
  return { stop: () => void server.close() };
}

/** What the cluster of `folder` says; rejects where none runs. */
export function askControl(folder: string): Promise<Report> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketIn(folder));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (part) => {
      text += part;
    });
    socket.once('error', reject);
    socket.once('end', () => resolve(JSON.parse(text)));
  });
}
