/** The verb patch: by content type, the ways that Kubernetes has of changing a part of an object. */
import { jsonPatch, type Operation } from '../apply/json-patch.ts';
import { merge, strategicMerge } from '../apply/merge.ts';
import { applyConfig } from '../apply/server-side-apply.ts';
import { type Answer, type Call, contentTypeOf, isApply, ok, writingOf } from './call.ts';
import { decoded } from './decode.ts';
import { badRequest, conflict, notFound, unsupportedType } from './errors.ts';
import { check } from './gate.ts';
import { created, existing, found, replaced } from './write.ts';

type Json = Record<string, unknown>;

const CHANGES: Record<string, (old: Json, call: Call) => unknown> = {
  'application/merge-patch+json': (old, { body }) => merge(old, body),
  'application/json-patch+json': (old, { body }) => jsonPatch(old, body as Operation[]),
  'application/strategic-merge-patch+json': (old, { body, resource: { custom, kind, keys } }) => {
    if (custom) throw unsupportedType(`a strategic merge patch can't change a ${kind}: use a merge patch`);
    return strategicMerge(old, body as Json, keys);
  },
};

export function patch(call: Call): Answer {
  if (isApply(call)) return apply(call);
  const type = contentTypeOf(call.headers);
  const change = CHANGES[type];
  if (!change) throw unsupportedType(`there is no patch of type ${type}`);
  const old = existing(call);
  return ok(replaced(call, old, decoded(call, change(old, call))));
}

/** Server-side apply: makes the object where it is not there, if the caller may and means no object that was. */
function apply(call: Call): Answer {
  const { api, attributes, query, resource } = call;
  const { subresource, name } = attributes;
  if (!query.get('fieldManager')) throw badRequest('fieldManager: is required for apply patch');
  const live = found(call);
  const config = decoded(call, call.body);
  if (!live && subresource) throw notFound(resource, name);
  const object = applyConfig({ live, config, force: query.get('force') === 'true', ...writingOf(call) });
  if (live) return ok(replaced(call, live, object));
  check(api, { ...attributes, verb: 'create' });
  const { uid, resourceVersion: _, ...metadata } = object.metadata;
  if (!uid) return ok(created(call, { ...object, metadata }), 201);
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(resource, name, why);
}
