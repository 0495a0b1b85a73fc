/**
 * The Kubernetes Event of a change of condition Stuck, for `kubectl describe` and whoever collects Events. Its name follows
 * from what was said before and what is said now, so that a pass that was killed in between says it once. Pure.
 */
import { createHash } from 'node:crypto';
import { findCondition, toTimestamp } from '../api/conditions.ts';
import type { Condition, KubeObject, Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { STUCK } from './stuck.ts';

/** The API server takes no longer message. */
const LONGEST_MESSAGE = 1024;

/** Tells that `next` is the Session's condition Stuck from now on. */
export function makeStuckEvent(session: Stored<Session>, next: Condition, now: Date): KubeObject {
  const { apiVersion, kind, metadata } = session;
  const { name, namespace, uid, resourceVersion } = metadata;
  const before = findCondition(session, STUCK);
  const change = [uid, before?.lastTransitionTime, before?.reason, before?.message, next.status, next.reason];
  const digest = createHash('sha256').update(JSON.stringify(change)).digest('hex').slice(0, 16);
  const time = toTimestamp(now);
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${digest}`, ...(namespace && { namespace }) },
    involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion },
    type: next.status === 'True' ? 'Warning' : 'Normal',
    reason: next.reason,
    message: next.message.slice(0, LONGEST_MESSAGE),
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    source: { component: 'tiny-sweep' },
    reportingComponent: 'tiny-sweep',
  };
  return event;
}
