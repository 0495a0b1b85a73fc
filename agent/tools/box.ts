/** The parts of the tools put together around one client; the program gives a real one, tests a pretended one. */
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../lib/kube/clock.ts';
import type { Client } from '../../lib/kube/types.ts';
import { milliseconds } from '../../lib/session/lifetime.ts';
import type { Identity } from '../env.ts';
import type { Forge } from '../forge/request.ts';
import type { Push } from '../push/push.ts';
import type { Redact } from '../redact.ts';
import { listenAt } from '../sockets.ts';
import { makeAsking } from './asking.ts';
import { harnessListener } from './harness-server.ts';
import { serveMcp } from './mcp-server.ts';
import { type OwnSession, ownSession } from './own-session.ts';
import { makeQuestions } from './questions.ts';
import { redactedQuestions, redactedStatus } from './redaction.ts';
import { makeStatusWriter } from './status-writer.ts';
import { makeWaiting } from './waiting.ts';

export interface ToolsOptions {
  identity: Identity;
  client: Client;
  clock: Clock;
  log: (line: string) => void;
  /** Takes the values of Secrets out of what is told. */
  redact: () => Redact;
  /** Absent where nothing is pushed. */
  pushing?: { push: Push; forge: Forge | undefined } | undefined;
}

/** Serves both sockets; the returned function closes them. */
export async function serveTools({ identity, client, clock, log, redact, pushing }: ToolsOptions): Promise<() => void> {
  const now = () => new Date(clock.now());
  const over = new AbortController();
  const folder = join(identity.state, identity.sessionUid);
  const session = ownSession(client, identity);
  const writer = makeStatusWriter({ client, session, file: join(folder, 'status.json'), now });
  const status = redactedStatus(writer, redact);
  const questions = redactedQuestions(makeQuestions({ client, identity, session, now }), redact);
  const waiting = makeWaiting({ status, log, patience: () => patienceOf(session), clock, signal: over.signal });
  const asking = makeAsking({ questions, waiting, folder, clock });
  const harness = createHttpServer(harnessListener({ session, status, questions, waiting, now }));
  const connected = new Set<Socket>();
  const agents = createServer((socket) => {
    connected.add(socket);
    socket.once('close', () => connected.delete(socket));
    socket.on('error', () => socket.destroy());
    const box = { identity, client, session, status, asking, clock, pushing, redact };
    serveMcp(socket, box).catch((error: Error) => log(error.message));
  });
  await listen([harness, 'harness.sock'], [agents, 'mcp.sock'])(identity.run);
  return () => {
    over.abort();
    harness.close();
    harness.closeAllConnections();
    agents.close();
    for (const socket of connected) socket.destroy();
  };
}

/** How long the Session may wait awake, milliseconds. */
function patienceOf(session: OwnSession): number | undefined {
  const after = session.known()?.spec.idle.suspendAfter;
  return after === undefined ? undefined : milliseconds(after);
}

const listen =
  (...servers: [Server, string][]) =>
  (folder: string) =>
    Promise.all(servers.map(([server, name]) => listenAt(server, join(folder, name))));
