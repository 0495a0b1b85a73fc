/**
 * What every resource of the group shares: group and version, object metadata, conditions, a person's identity.
 * Types and constants only, so that a function carries no schema library.
 */
import type { z } from 'zod';
import type { condition, person } from './schema-parts.ts';

export const GROUP = 'tiny.dev';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

/** Who acted, as the API server saw them. */
export type Person = z.infer<typeof person>;

/** A condition as in `metav1.Condition`. */
export type Condition = z.infer<typeof condition>;

/** Who owns an object: with the owner gone, garbage collection removes it. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** What the API server keeps about which manager set which fields. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/** Metadata of any object, as far as this project reads it. */
export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any Kubernetes object. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object that the API server has given back: it has an identity. */
export type Stored<T extends KubeObject> = Omit<T, 'metadata'> & {
  metadata: T['metadata'] & { uid: string; resourceVersion: string };
};

/** Labels and annotations that tie what belongs to a Session to it. */
export const LABEL = {
  session: `${GROUP}/session`,
  sessionUid: `${GROUP}/session-uid`,
  parent: `${GROUP}/parent`,
  /** On a Question that proposes a Session: admission compares it with its parent. */
  spawn: `${GROUP}/spawn`,
  /** On a Question that proposes objects beyond what may be proposed without settings: admission asks those. */
  moreApply: `${GROUP}/more-apply`,
  /** On a Question where the answerer must be another than the requester: admission compares the two. */
  answeredByAnother: `${GROUP}/answered-by-another`,
} as const;
export const ANNOTATION = {
  /** On a Session that a Question's yes has made: the Question's uid. */
  question: `${GROUP}/question-uid`,
  /** On a Question where the answerer must be another: the user name of its Session's requester. */
  requester: `${GROUP}/requester`,
  /** On a claim that outlives its Session: whose that was and what it worked on, as JSON (lib/session/retained.ts). */
  retained: `${GROUP}/retained`,
} as const;
