/**
 * Serves the bare git repositories of a folder over HTTP, on loopback or for a network of tests, with git's own `http-backend`: the demo and
 * the tests clone from it as from any git host.
 */
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GitServerOptions {
  /** The folder of the bare repositories. */
  root: string;
  /** 0 is any free port. */
  port: number;
  /** Where to listen; default: loopback. */
  host?: string;
  /** Whether whoever reaches it may push; default: they may only read. */
  pushes?: boolean;
  /** Asks for these by basic authentication. */
  credentials?: { username: string; password: string };
}

export interface GitServer {
  /** Without a slash at its end; a repository is at `<url>/<folder>`. */
  url: string;
  stop(): Promise<void>;
}

/** Starts to serve. */
export async function startGitServer({
  root,
  port,
  host = '127.0.0.1',
  pushes = false,
  credentials,
}: GitServerOptions): Promise<GitServer> {
  const expected =
    credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
  const server = createServer((request, response) => {
    if (expected === undefined || request.headers.authorization === expected)
      return serve({ root, pushes, request }, response);
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Asked {
  root: string;
  pushes: boolean;
  request: IncomingMessage;
}

/** One request as CGI (RFC 3875). `env` adds the variables, so that git keeps the rest of our environment. */
function serve({ root, pushes, request }: Asked, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const variables: Record<string, string> = {
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    REQUEST_METHOD: request.method ?? 'GET',
    PATH_INFO: decodeURIComponent(url.pathname),
    QUERY_STRING: url.search.slice(1),
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    REMOTE_ADDR: '127.0.0.1',
    // `http-backend` lets those push whom a server has named.
    ...(pushes && { REMOTE_USER: 'anonymous' }),
    GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
  };
  const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const child = spawn('env', [...set, 'git', 'http-backend'], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.once('error', () => response.writeHead(500).end());
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    writeHead(response, head.subarray(0, end).toString());
    response.write(head.subarray(end + 4));
  });
  child.once('close', () => (response.headersSent ? response.end() : response.writeHead(500).end()));
}

function writeHead(response: ServerResponse, head: string): void {
  const lines = head.split('\r\n').map((line) => line.split(/:\s*/, 2) as [string, string]);
  const status = lines.find(([name]) => name.toLowerCase() === 'status')?.[1];
  const headers = lines.filter(([name]) => name.toLowerCase() !== 'status');
  response.writeHead(status ? Number.parseInt(status, 10) : 200, Object.fromEntries(headers));
}
