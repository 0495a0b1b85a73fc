/**
 * Reports a Session's status as its agent sees it. Server-side apply wants the whole of what a manager owns each
 * time, so what was told before is kept in a file on the volume; the Session's uid in each report keeps it from
 * landing on a successor of the same name.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { transition } from '../../lib/api/conditions.ts';
import { API_VERSION, type Condition, type Stored } from '../../lib/api/meta.ts';
import { condition } from '../../lib/api/schema-parts.ts';
import { type Session, type SessionStatus, sessionStatus } from '../../lib/api/session.ts';
import { type Client, SESSIONS } from '../../lib/kube/types.ts';
import type { OwnSession } from './own-session.ts';

/**
 * A condition as the agent's side tells it. None has an observedGeneration: they are about the agent and not about the
 * spec, and with one that is behind, `kubectl wait --for=condition=…` would wait for ever.
 */
const agentCondition = condition
  .omit({ observedGeneration: true })
  .extend({ type: z.enum(['Ready', 'Waiting', 'Finished']) });

/** What may be told; conditions get their time here. */
const statusPatch = sessionStatus.extend({
  conditions: z
    .array(agentCondition.omit({ lastTransitionTime: true }))
    .max(3)
    .optional(),
});
const { result } = sessionStatus.shape;
/** What the harness may tell: its socket is the agent's too, so what was pushed is the tools' alone to say. */
export const harnessPatch = statusPatch.extend({
  result: result.unwrap().omit({ pushed: true, pullRequest: true }).optional(),
});
const remembered = sessionStatus.extend({ conditions: z.array(agentCondition).max(3).optional() });
export type StatusPatch = z.infer<typeof statusPatch>;

export interface StatusWriter {
  /** Resolves when the API server has it. Reports go one after the other; one that is refused leaves no trace. */
  tell(patch: StatusPatch): Promise<void>;
}

/** What is reported after `patch`. Pure. */
export function mergeStatus(
  before: SessionStatus,
  { conditions = [], result, ...fields }: StatusPatch,
  now: Date,
): SessionStatus {
  const told = conditions.map((one) => transition({ status: before }, one, now));
  const kept = (before.conditions ?? []).filter(({ type }) => !told.some((one) => one.type === type));
  return { ...before, ...fields, ...mergeResult(before, result), conditions: [...kept, ...told] };
}

/** The harness tells the work whole, the tools what became of it. */
function mergeResult({ result: before }: SessionStatus, told: SessionStatus['result']): Pick<SessionStatus, 'result'> {
  if (!told) return before ? { result: before } : {};
  const isOfTools = told.pushed !== undefined || told.pullRequest !== undefined;
  const { pushed, pullRequest } = before ?? {};
  const kept = isOfTools ? before : { ...(pushed && { pushed }), ...(pullRequest && { pullRequest }) };
  return { result: { ...kept, ...told } };
}

/** The part of a live Session's status that its agent told; Ready is both sides', and told anew. */
function toldByAgent({ conditions = [], ...status }: SessionStatus = {}): SessionStatus {
  const own = ({ type }: Condition) => type === 'Waiting' || type === 'Finished';
  return { ...status, conditions: conditions.filter(own).map(({ observedGeneration: _, ...one }) => one) };
}

/** A writer that remembers in `file`. */
export function makeStatusWriter({
  client,
  session,
  file,
  now,
}: {
  client: Client;
  session: OwnSession;
  file: string;
  now: () => Date;
}): StatusWriter {
  let told: SessionStatus | undefined = readBack(file);
  // What is in the file may have been told to a Session that was restored since.
  let hasArrived = false;
  let last: Promise<void> = Promise.resolve();
  const write = async (patch: StatusPatch): Promise<void> => {
    const live = session.known() ?? (await session.read());
    const wanted = mergeStatus(told ?? toldByAgent(live.status), patch, now());
    if (hasArrived && isDeepStrictEqual(wanted, told)) return;
    session.saw(await client.applyStatus<Session>(SESSIONS, statusOf(live, wanted)));
    told = wanted;
    hasArrived = true;
    keep(file, wanted);
  };
  return {
    tell(patch) {
      const done = last.then(() => write(patch));
      last = done.catch(() => {});
      return done;
    },
  };
}

const statusOf = ({ metadata: { name, namespace, uid } }: Stored<Session>, status: SessionStatus) => ({
  apiVersion: API_VERSION,
  kind: 'Session',
  metadata: { name, uid, ...(namespace !== undefined && { namespace }) },
  status,
});

function readBack(file: string): SessionStatus | undefined {
  try {
    return remembered.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** A full volume keeps nothing: then a restart takes what was told from the live Session, as with a volume that was lost. */
function keep(file: string, status: SessionStatus): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify(status));
    renameSync(`${file}.new`, file);
  } catch {
    for (const one of [file, `${file}.new`]) rmSync(one, { force: true });
  }
}
