/** What admission sees of a write, and how it refuses one. */
import type { Person } from '../../lib/api/meta.ts';
import type { ApiError } from '../../lib/kube/errors.ts';
import { forbidden } from '../api/errors.ts';
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
export const refuse = ({ resource, object }: AdmissionRequest, why: string): ApiError =>
  forbidden(resource, object.metadata.name, why);
