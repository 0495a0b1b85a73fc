/** Runs a function: its own identity from the projected token, one line of JSON an event, and a calm end on SIGTERM. */
import { pino } from 'pino';
import type { KubeObject } from '../lib/api/meta.ts';
import { makeClient } from '../lib/kube/client.ts';
import { systemClock } from '../lib/kube/clock.ts';
import { inCluster } from '../lib/kube/in-cluster.ts';
import { type ServerClock, serverClock } from '../lib/kube/server-clock.ts';
import type { Client } from '../lib/kube/types.ts';
import type { Reconciler } from '../lib/plan.ts';
import { type Environment, environment } from './env.ts';
import { makeServer, type ServeOptions } from './serve.ts';

/** A client of the function's own, whose fields that field manager owns; `heard` gets the server's time. */
export function clientOf(env: Environment, fieldManager: string, heard?: ServerClock['heard']): Client {
  const { TINY_CREDENTIALS: folder, KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  return makeClient({ ...inCluster({ folder, host, port }), fieldManager, heard });
}

/** What a function does about an object besides reconciling it. */
export type Also = (env: Environment, client: Client) => ServeOptions['also'];

/** Starts listening; requests under way at SIGTERM are finished first. */
export function run<T extends KubeObject>(name: string, reconciler: Reconciler<T>, also?: Also): void {
  const env = environment();
  const log = pino({ base: { function: name }, level: env.LOG_LEVEL });
  const clock = serverClock(systemClock);
  const client = clientOf(env, `tiny-${name}`, clock.heard);
  const now = () => new Date(clock.now());
  const server = makeServer(reconciler, { name, client, now, log, also: also?.(env, client) });
  process.once('SIGTERM', () => server.close(() => process.exit(0)));
  server.listen({ port: env.PORT, ...(env.HOST && { host: env.HOST }) });
}
