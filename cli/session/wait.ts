/** Following one Session until it has finished, telling on the way what it does and what it asks. */
import { findCondition, isTrue } from '../../lib/api/conditions.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { SESSIONS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { startProgress } from '../output/progress.ts';
import { safeLine } from '../output/safe.ts';
import { followTrouble } from './pod-problem.ts';
import { ending, sessionMessage, sessionState } from './state.ts';

/** One line about a Session now; the same line twice is told once. */
export function statusLine(session: Stored<Session>): string {
  const question = isTrue(session, 'Waiting') ? findCondition(session, 'Waiting')?.message : undefined;
  const words = question ?? sessionMessage(session);
  return safeLine([sessionState(session), words].filter(Boolean).join(': '));
}

/** Returns once the Session has completed. A Failure where it failed, was refused for good, was deleted or suspended. */
export async function waitUntilFinished(app: App, session: Stored<Session>): Promise<void> {
  const { name, namespace, uid } = session.metadata;
  const { client } = await app.cluster();
  const stop = new AbortController();
  const signal = AbortSignal.any([app.signal, stop.signal]);
  const options = { ...(namespace && { namespace }), fieldSelector: `metadata.name=${name}`, signal };
  const tell = makeTeller(app, name);
  const explained = followTrouble(client, { session, now: app.now, say: tell.explain, signal });
  try {
    for await (const { type, object } of client.watch(SESSIONS, options)) {
      if (type === 'DELETED' || object.metadata.uid !== uid) throw new Failure(`Session "${name}" was deleted`);
      tell.say(object);
      if (isOver(object)) return;
    }
  } finally {
    tell.end();
    stop.abort();
    await explained;
  }
}

function makeTeller(app: App, name: string) {
  const progress = startProgress(app.io.stderr, `${name}: Pending`);
  let last = '';
  return {
    say(session: Stored<Session>) {
      const line = `${name}: ${statusLine(session)}`;
      progress.say(line);
      if (line !== last && !app.io.stderr.isTTY) app.note(line);
      last = line;
    },
    explain: (problem: string) => app.note(`${name}: ${problem}`),
    end: () => {
      progress.end();
      if (app.io.stderr.isTTY && last) app.note(last);
    },
  };
}

/** True once it has completed; a Failure for any other end. */
function isOver(session: Stored<Session>): boolean {
  const { name } = session.metadata;
  const end = ending(session);
  if (end?.completed) return true;
  if (end)
    throw new Failure(`Session "${name}" failed (${end.reason}): ${end.message}`, `\`tiny show ${name}\` tells more.`);
  const suspended = findCondition(session, 'Suspended');
  if (suspended?.status === 'True' && suspended.reason === 'Deadline') {
    throw new Failure(`Session "${name}" was ended at its deadline`, `\`tiny show ${name}\` tells how far it came.`);
  }
  refuseToWait(session);
  return false;
}

/** A Failure where the Session was refused for good. */
export function refuseToWait(session: Stored<Session>): void {
  const { name } = session.metadata;
  const made = findCondition(session, 'Materialised');
  if (made?.status !== 'False' || PASSING.has(made.reason)) return;
  throw new Failure(
    `Session "${name}" was refused (${made.reason}): ${made.message}`,
    `\`tiny touch ${name}\` tries again.`,
  );
}

/** Refusals that end by themselves; lib/ensure.ts says them with `passes`. */
const PASSING = new Set(['NameTaken', 'PredecessorTerminating']);
