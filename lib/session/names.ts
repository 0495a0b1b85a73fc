/** The names, labels and owner of a Session's children. Pure. */
import { createHash } from 'node:crypto';
import { LABEL, type ObjectMeta, type OwnerReference, type Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** What the agent's side compares the mounted prompt with. */
export const promptDigest = ({ spec }: Session): string => sha256(spec.prompt);

/**
 * The Secret's name follows from the Session's identity and its content: an earlier Session's can't be met, and
 * one that exists need not be read to know what is in it (the agent's side checks the digest).
 */
export const promptSecretName = (session: Stored<Session>): string =>
  `${session.metadata.name}-prompt-${sha256(`${session.metadata.uid}\n${session.spec.prompt}`).slice(0, 10)}`;

export const sessionLabels = ({ metadata }: Stored<Session>): Record<string, string> => ({
  'app.kubernetes.io/name': 'tiny-session',
  'app.kubernetes.io/managed-by': 'tiny',
  [LABEL.session]: metadata.name,
  [LABEL.sessionUid]: metadata.uid,
});

/** `blockOwnerDeletion` stays false: true would need rights on the Session's finalizers (OpenShift). */
export const ownerReference = ({ apiVersion, kind, metadata }: Stored<Session>): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
  blockOwnerDeletion: false,
});

/** Metadata of a child that garbage collection removes with its Session. */
export function childMeta(session: Stored<Session>, name: string = session.metadata.name): ObjectMeta {
  const { namespace } = session.metadata;
  return { name, namespace, labels: sessionLabels(session), ownerReferences: [ownerReference(session)] };
}

/**
 * Whether an object belongs to exactly this Session: not to a stranger, not to a predecessor of the same name. A label
 * alone proves nothing, since anybody may write it before the Session does.
 */
export const belongsTo =
  ({ metadata: { uid } }: Stored<Session>) =>
  ({ metadata }: { metadata: ObjectMeta }): boolean =>
    metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.controller === true) ?? false;

/** A retained claim has no owner; it is told by its label, and belongs to nobody else. */
export const isClaimOf =
  (session: Stored<Session>) =>
  (live: { metadata: ObjectMeta }): boolean =>
    belongsTo(session)(live) ||
    (!live.metadata.ownerReferences?.length && live.metadata.labels?.[LABEL.sessionUid] === session.metadata.uid);
