/**
 * The tools' program: a native sidecar, the only holder of the pod's token. It exits 0 on SIGTERM, which a sidecar
 * gets after the agent's container has ended, so that the last report still goes out.
 */

import { makeClient } from '../../lib/kube/client.ts';
import { systemClock } from '../../lib/kube/clock.ts';
import { inCluster } from '../../lib/kube/in-cluster.ts';
import { toolsEnv } from '../env.ts';
import { serveTools } from './box.ts';

const FIELD_MANAGER = 'tiny-agent';

const log = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const { credentials, host, port, ...identity } = toolsEnv();
  const client = makeClient({ ...inCluster({ folder: credentials, host, port }), fieldManager: FIELD_MANAGER });
  await serveTools({ identity, client, clock: systemClock, log });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
  log(`tools of Session ${identity.namespace}/${identity.session} are listening in ${identity.run}`);
}

main().catch((error: Error) => {
  process.stderr.write(`tools: ${error.message}\n`);
  process.exit(1);
});
