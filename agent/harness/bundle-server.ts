/**
 * Hands the agent's commits to the tools as a bundle: data alone. git runs here, in the agent's container, on the
 * agent's own clone and with whatever the agent has configured there; the tools, which hold the credentials, never run
 * it on anything that the agent can configure.
 */
import { spawn } from 'node:child_process';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { listenAt } from '../sockets.ts';

export interface BundleServerOptions {
  /** Folder of the sockets. */
  run: string;
  /** The clone. */
  folder: string;
  /** The commit that the Session's branch started at; absent as long as there is no clone. */
  base: () => string | undefined;
  env: Record<string, string>;
}

/** The socket's name in the folder of the sockets. */
export const BUNDLE_SOCKET = 'bundle.sock';

/** Serves `GET /bundle`: what HEAD has beyond the base; 409 with `{error}` where there is nothing. */
export async function serveBundles(options: BundleServerOptions): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    const base = options.base();
    if (base === undefined) return refuse(response, 'there is no clone yet');
    bundle(options, base, response);
  });
  await listenAt(server, join(options.run, BUNDLE_SOCKET));
  return server;
}

const refuse = (response: ServerResponse, error: string): void => {
  response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
};

function bundle({ folder, env }: BundleServerOptions, base: string, response: ServerResponse): void {
  const child = spawn('git', ['bundle', 'create', '--quiet', '-', 'HEAD', `^${base}`], {
    cwd: folder,
    env: { ...env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000);
  });
  child.stdout.once('data', () => response.writeHead(200, { 'content-type': 'application/x-git-bundle' }));
  child.stdout.pipe(response, { end: false });
  child.once('error', (error) => refuse(response, `git can't be started: ${error.message}`));
  response.once('close', () => child.kill());
  child.once('close', (code) => {
    if (code === 0) return response.end();
    if (response.headersSent) return response.destroy();
    refuse(response, said.trim());
  });
}
