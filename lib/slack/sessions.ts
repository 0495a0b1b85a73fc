/** Sessions in a few words, for a message. Pure. */
import { age } from '../age.ts';
import { findCondition } from '../api/conditions.ts';
import type { Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { oneLine } from './text.ts';

/** Ready's reason, as the printer column shows it. */
const stateOf = (session: Session): string => findCondition(session, 'Ready')?.reason ?? 'New';

export const sessionLine = (session: Stored<Session>, now: Date): string => {
  const { name, creationTimestamp } = session.metadata;
  return oneLine(`${name}  ${stateOf(session)}  ${age(creationTimestamp, now)}  ${session.spec.prompt}`, 110);
};

export function sessionText(session: Stored<Session>, now: Date): string {
  const { metadata, spec, status } = session;
  const waiting = findCondition(session, 'Waiting');
  const refusal = findCondition(session, 'Materialised');
  const lines = [
    `${metadata.name}: ${stateOf(session)}, ${age(metadata.creationTimestamp, now)} old, of ${spec.requester?.username ?? 'nobody'}`,
    status?.message,
    refusal?.status === 'False' ? `${refusal.reason}: ${refusal.message}` : undefined,
    waiting?.status === 'True' ? `Waits: ${waiting.message}` : undefined,
    status?.result?.summary && `Result: ${status.result.summary}`,
    status?.result?.branch && `Branch: ${status.result.branch}`,
    '',
    `Asked: ${spec.prompt}`,
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}
