/** The verb patch: by content type, the ways that Kubernetes has of changing a part of an object. */

import { ApiError } from '../../lib/kube/errors.ts';
import { jsonPatch, type Operation } from '../apply/json-patch.ts';
import { merge, strategicMerge } from '../apply/merge.ts';
import { applyConfig } from '../apply/server-side-apply.ts';
import type { Stored } from '../types.ts';
import { type Answer, type Call, ok } from './call.ts';
import { type Cause, cause, conflict, invalid, notFound } from './errors.ts';
import { created, decoded, existing, found, listKeys, replaced } from './write.ts';

type Json = Record<string, unknown>;
type Change = (old: Json, call: Call) => unknown;

const APPLY = 'application/apply-patch+yaml';
const CHANGES: Record<string, Change> = {
  'application/merge-patch+json': (old, { body }) => merge(old, body),
  'application/json-patch+json': (old, { body }) => jsonPatch(old, body as Operation[]),
  'application/strategic-merge-patch+json': (old, { body, resource, contentType }) => {
    if (resource.schema || resource.columns) throw unsupported(contentType);
    return strategicMerge(old, body as Json, listKeys(resource));
  },
};

export function patch(call: Call): Answer {
  if (call.contentType === APPLY) return apply(call);
  const change = CHANGES[call.contentType];
  if (!change) throw unsupported(call.contentType);
  const old = existing(call);
  const draft = decoded(call, change(old, call));
  return ok(replaced(call, sameUid(call, old, draft.object), draft));
}

/** Server-side apply: makes the object where it is not there, if the caller may and means no object that was. */
function apply(call: Call): Answer {
  const { api, attributes, query, resource, manager } = call;
  if (!query.get('fieldManager')) throw noManager();
  const live = found(call);
  const { object: config, causes } = decoded(call, { ...(call.body as Json) });
  const { subresource } = attributes;
  if (!live && subresource) throw notFound(resource, attributes.name);
  const force = query.get('force') === 'true';
  const object = applyConfig({
    live,
    config,
    manager,
    force,
    subresource,
    now: api.now(),
    keys: listKeys(resource),
  });
  if (live) return ok(replaced(call, sameUid(call, live, object), { object, causes, applied: true }));
  call.authorize('create');
  return ok(made(call, object, causes), 201);
}

function made(call: Call, object: Stored, causes: Cause[]): Stored {
  const { uid, name, resourceVersion: _, ...metadata } = object.metadata;
  if (!uid) return created(call, { object: { ...object, metadata: { name, ...metadata } }, causes, applied: true });
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(call.resource, name, why);
}

/** A patch that names another uid means another object. Throws 422. */
function sameUid({ resource }: Call, old: Stored, { metadata: { uid } }: Stored): Stored {
  if (!uid || uid === old.metadata.uid) return old;
  throw invalid(resource, old.metadata.name, [cause.invalid('metadata.uid', uid, 'field is immutable')]);
}

const noManager = (): ApiError =>
  invalid({ group: 'meta.k8s.io', plural: '', kind: 'PatchOptions' }, '', [
    cause.required('fieldManager', 'is required for apply patch'),
  ]);

const unsupported = (type: string): ApiError => {
  const accepted = [...Object.keys(CHANGES), APPLY].join(', ');
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted} (was ${type})`;
  return new ApiError(415, { reason: 'UnsupportedMediaType', message });
};
