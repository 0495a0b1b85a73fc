/** Runs a function: its own identity from the projected token, one line of JSON an event, and a calm end on SIGTERM. */
import { pino } from 'pino';
import type { KubeObject } from '../lib/api/meta.ts';
import { makeClient } from '../lib/kube/client.ts';
import { inCluster } from '../lib/kube/in-cluster.ts';
import type { Reconciler } from '../lib/plan.ts';
import { environment } from './env.ts';
import { makeServer } from './serve.ts';

/** Starts listening; requests under way at SIGTERM are finished first. */
export function run<T extends KubeObject>(name: string, reconciler: Reconciler<T>): void {
  const env = environment();
  const log = pino({ base: { function: name }, level: env.LOG_LEVEL });
  const client = makeClient({
    ...inCluster({
      folder: env.TINY_CREDENTIALS,
      host: env.KUBERNETES_SERVICE_HOST,
      port: env.KUBERNETES_SERVICE_PORT,
    }),
    fieldManager: `tiny-${name}`,
  });
  const server = makeServer(reconciler, { name, client, now: () => new Date(), log });
  process.once('SIGTERM', () => server.close(() => process.exit(0)));
  server.listen({ port: env.PORT, ...(env.HOST && { host: env.HOST }) });
}
