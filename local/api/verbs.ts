/** Which code answers which verb. */

import { ApiError } from '../../lib/kube/errors.ts';
import { review } from '../auth/reviews.ts';
import { tokenRequest } from '../auth/token-request.ts';
import { type Answer, type Call, ok } from './call.ts';
import { remove, removeAll } from './delete.ts';
import { noSuchPath } from './errors.ts';
import { patch } from './patch.ts';
import { get, list } from './read.ts';
import { scale } from './subresources.ts';
import { create, existing, update } from './write.ts';

type Verb = (call: Call) => Answer;

const MAIN: Record<string, Verb> = { get, list, create, update, patch, delete: remove, deletecollection: removeAll };
const SUBRESOURCES: Record<string, Record<string, Verb>> = {
  status: { get, update, patch },
  scale: { get: scale, update: scale, patch: scale },
  token: { create: createToken },
};

/** Verbs that need no name. */
const COLLECTION = new Set(['list', 'create', 'deletecollection']);

/** Throws 404 for a subresource and 405 for a verb that isn't there. */
export function verbOf({ resource, attributes: { verb, subresource, name } }: Call): Verb {
  if (subresource && !resource.subresources.includes(subresource)) throw noSuchPath();
  const found = (subresource ? SUBRESOURCES[subresource] : MAIN)?.[verb];
  if (found && (name || COLLECTION.has(verb))) return found;
  const message = 'the server does not allow this method on the requested resource';
  throw new ApiError(405, { reason: 'MethodNotAllowed', message });
}

/** Issues a token of the service account that the request names. */
function createToken(call: Call): Answer {
  const { name, namespace = '', uid = '' } = existing(call).metadata;
  const pod = (podName: string) => {
    const found = call.api.store.get('pods', namespace, podName);
    const { serviceAccountName = 'default' } = (found?.spec ?? {}) as { serviceAccountName?: string };
    return found && { uid: found.metadata.uid ?? '', serviceAccountName };
  };
  return ok(
    tokenRequest(call.body, { keys: call.keys, account: { namespace, name, uid }, pod, now: call.api.now() }),
    201,
  );
}

/** The reviews that are answered and never stored: plural, group and kind. */
export const REVIEWS = [
  ['authentication.k8s.io', 'SelfSubjectReview'],
  ['authorization.k8s.io', 'SelfSubjectAccessReview'],
  ['authorization.k8s.io', 'SelfSubjectRulesReview'],
  ['authorization.k8s.io', 'SubjectAccessReview'],
  ['authorization.k8s.io', 'LocalSubjectAccessReview'],
].map(([group = '', kind = '']) => ({ group, kind, version: 'v1', plural: `${kind.toLowerCase()}s` }));

export type Review = (typeof REVIEWS)[number];

/** Answers a review. */
export const createReview = ({ group, kind }: Review, body: unknown, asked: Parameters<typeof review>[2]): Answer =>
  ok(review(kind, { apiVersion: `${group}/v1`, ...(body as object) }, asked), 201);
