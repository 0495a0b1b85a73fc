/**
 * The tools' program: a native sidecar, the only holder of the pod's token and of the credentials to push. It exits 0 on
 * SIGTERM, which a sidecar gets after the agent's container has ended, so that the last report still goes out.
 */

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeClient } from '../../lib/kube/client.ts';
import { systemClock } from '../../lib/kube/clock.ts';
import { inCluster } from '../../lib/kube/in-cluster.ts';
import { serverClock } from '../../lib/kube/server-clock.ts';
import { type ToolsEnv, toolsEnv } from '../env.ts';
import { forgeOf } from '../forge/forge.ts';
import { makePush } from '../push/push.ts';
import { readSecrets } from '../secrets.ts';
import { serveTools } from './box.ts';
import { redactorOf } from './redaction.ts';

const FIELD_MANAGER = 'tiny-agent';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Pushing, where the Session's spec has it. */
function pushingOf({ push: asked, path, ...identity }: ToolsEnv) {
  if (!asked) return undefined;
  const temporary = mkdtempSync(join(tmpdir(), 'git-'));
  const push = makePush({ identity, ...asked, path, temporary });
  return { push, forge: forgeOf(asked.repository, { fetch, token: push.token }) };
}

/**
 * What takes out values of Secrets: the agent's as they were when the pod started, since its variables stay; the one to
 * push with, and the token, as they are now.
 */
function redactorIn({ secrets, push, credentials }: ToolsEnv) {
  const token = join(credentials, 'token');
  return redactorOf(readSecrets(secrets), () => [...readSecrets(push?.credentials), readFileSync(token, 'utf8')]);
}

async function main(): Promise<void> {
  const env = toolsEnv();
  const { credentials, host, port, ...identity } = env;
  const clock = serverClock(systemClock);
  const server = inCluster({ folder: credentials, host, port });
  const client = makeClient({ ...server, fieldManager: FIELD_MANAGER, heard: clock.heard });
  const redact = redactorIn(env);
  const log = (line: string) => print(redact()(line));
  await serveTools({ identity, client, clock, log, redact, pushing: pushingOf(env) });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(0));
  log(`tools of Session ${identity.namespace}/${identity.session} are listening in ${identity.run}`);
}

main().catch((error: Error) => {
  process.stderr.write(`tools: ${error.message}\n`);
  process.exit(1);
});
