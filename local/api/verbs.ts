/** Which code answers which verb. */
import { apiVersion } from '../../lib/kube/path.ts';
import { review } from '../auth/reviews.ts';
import { tokenRequest } from '../auth/token-request.ts';
import { type Answer, type Call, ok } from './call.ts';
import { remove } from './delete.ts';
import { methodNotAllowed, noSuchPath, notImplemented } from './errors.ts';
import { rbacOf } from './gate.ts';
import { patch } from './patch.ts';
import { get, list } from './read.ts';
import { create, existing, update } from './write.ts';

/** `watch` and `log` are streams. */
type Verb = ((call: Call) => Answer) | 'watch' | 'log';

const OBJECTS: Record<string, Verb> = { list, watch: 'watch', create, get, update, patch, delete: remove };
/** By subresource; `''` is the object itself. */
const VERBS: Record<string, Record<string, Verb>> = {
  '': OBJECTS,
  status: { get, update, patch },
  log: { get: 'log' },
  token: { create: createToken },
};

/** Verbs that need no name. */
const COLLECTION = new Set(['list', 'watch', 'create']);

/** Throws 404 for a subresource and 405 or 501 for a verb that isn't there. */
export function verbOf({ resource, attributes: { verb, subresource, name } }: Call): Verb {
  if (subresource && !resource.subresources.includes(subresource)) throw noSuchPath();
  if (verb === 'deletecollection') throw notImplemented('deletecollection: delete the objects one by one');
  const found = resource.review ? { create: ask }[verb] : VERBS[subresource]?.[verb];
  if (found && (name || COLLECTION.has(verb))) return found;
  throw methodNotAllowed('the server does not allow this method on the requested resource');
}

/** Issues a token of the service account that the request names. */
function createToken(call: Call): Answer {
  const { api, body } = call;
  const { name, namespace = '', uid = '' } = existing(call).metadata;
  const pod = (podName: string) => {
    const found = api.store.get('pods', namespace, podName);
    const { serviceAccountName = 'default' } = (found?.spec ?? {}) as { serviceAccountName?: string };
    return found && { uid: found.metadata.uid ?? '', serviceAccountName };
  };
  return ok(tokenRequest(body, { keys: api.keys, account: { namespace, name, uid }, pod, now: api.now() }), 201);
}

/** Answers a review, and keeps nothing. */
function ask({ api, resource, body, attributes: { user } }: Call): Answer {
  const answer = review(resource.kind, body, { user, rbac: rbacOf(api) });
  return ok({ apiVersion: apiVersion(resource), ...answer }, 201);
}
