/** What admission sees of a write, and how it refuses one. */
import type { Person } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import type { Stored } from '../types.ts';

/** Which Session a pod belongs to, as its labels say. */
export interface PodSession {
  name: string;
  uid: string;
}

export interface AdmissionRequest {
  operation: 'CREATE' | 'UPDATE' | 'DELETE';
  resource: { group: string; plural: string };
  subresource: string;
  /** What is to be stored; of a deletion, what is to go. */
  object: Stored;
  /** What is stored; absent at creation. */
  old?: Stored | undefined;
  user: Person;
  /** The Session of a pod, where there is such a pod with this uid and it has one. */
  podSession: (namespace: string, pod: string, uid: string) => PodSession | undefined;
}

/** A refusal of what the person may not do. */
export const refuse = ({ resource, object }: AdmissionRequest, why: string): ApiError => {
  const { group, plural } = resource;
  const { name } = object.metadata;
  const message = `${[plural, group].filter(Boolean).join('.')} "${name}" is forbidden: ${why}`;
  return new ApiError(403, {
    reason: 'Forbidden',
    message,
    details: { name, ...(group && { group }), kind: plural },
  });
};
