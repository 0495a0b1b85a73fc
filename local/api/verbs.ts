/** Which code answers which verb. */
import type { Stored } from '../types.ts';
import { StatusError } from '../types.ts';
import type { Answer, Call } from './call.ts';
import { noSuchPath } from './errors.ts';
import { patch } from './patch.ts';
import { get, list } from './read.ts';
import { scale } from './subresources.ts';
import { create, remove, update } from './write.ts';

type Verb = (call: Call) => Answer;

const MAIN: Record<string, Verb> = { get, list, create, update, patch, delete: remove, deletecollection: removeAll };
const STATUS: Record<string, Verb> = { get, update, patch };

/** Throws 404 for a subresource and 405 for a verb that isn't there. */
export function verbOf({ resource, attributes: { verb, subresource } }: Call): Verb {
  if (subresource && !resource.subresources.includes(subresource)) throw noSuchPath();
  if (subresource === 'scale') return scale;
  const verbs = subresource === '' ? MAIN : subresource === 'status' ? STATUS : {};
  const found = verbs[verb];
  if (found) return found;
  throw new StatusError(405, {
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
  });
}

/** Deletes each object that the request selects; answers with what there was. */
function removeAll(call: Call): Answer {
  const answer = list(call);
  for (const { metadata } of answer.body.items as Stored[]) {
    const attributes = { ...call.attributes, name: metadata.name, namespace: metadata.namespace ?? '' };
    remove({ ...call, attributes });
  }
  return answer;
}
