/** A request to the agent that involves no model: bounded in time, and its refusal put into words. */
import * as acp from '@agentclientprotocol/sdk';
import type { Clock } from '../../lib/kube/clock.ts';
import { AgentError, type AgentProcess } from './agent-process.ts';
import { adviceOn, wordsOf } from './agent-words.ts';

/** How long the agent may take to answer a request that involves no model. */
const ANSWER_MS = 60_000;
/** How long the agent may take to be gone once it has closed its streams. */
const LINGER_MS = 2000;

/** ACP's "authentication required". */
const AUTH_REQUIRED = -32000;

/** The answer to `what`. Throws `AgentError` where it is refused, does not come in time, or the agent ends first. */
export async function bounded<T>(
  request: Promise<T>,
  { agent, clock, what }: { agent: AgentProcess; clock: Clock; what: string },
) {
  const done = new AbortController();
  const late = clock
    .sleep(ANSWER_MS, done.signal)
    .then(() => ({ why: `the agent did not answer ${what} within ${ANSWER_MS / 1000} s`, passes: true }));
  const dead = Promise.race([agent.exited, late]).then((ending) => Promise.reject(new AgentError(ending)));
  dead.catch(() => {});
  try {
    return await Promise.race([request.catch((error) => explain(error, { agent, clock, what })), dead]);
  } finally {
    done.abort();
  }
}

/** A refused request in words; a closed connection means that the process ends, and its last words say more. */
async function explain(
  error: unknown,
  { agent, clock, what }: { agent: AgentProcess; clock: Clock; what: string },
): Promise<never> {
  if (!(error instanceof acp.RequestError)) {
    // How it ends by itself is told apart from how it is ended here.
    await Promise.race([agent.exited, clock.sleep(LINGER_MS)]);
    await agent.end();
    throw new AgentError(await agent.exited);
  }
  const advice =
    error.code === AUTH_REQUIRED
      ? '; give it its key in a Secret named in spec.credentials'
      : adviceOn(wordsOf(error)) || '; see the log of the pod';
  throw new AgentError({ why: `the agent refused ${what}: ${wordsOf(error)}${advice}`, passes: false });
}
