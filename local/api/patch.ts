/** The verb patch: by content type, the ways that Kubernetes has of changing a part of an object. */
import { jsonPatch, type Operation } from '../apply/json-patch.ts';
import { mergePatch } from '../apply/merge-patch.ts';
import { StatusError, type Stored } from '../types.ts';
import { type Answer, type Call, ok } from './call.ts';
import { decoded, existing, replaced } from './write.ts';

type Change = (old: Stored, body: unknown) => unknown;

const TYPES: Record<string, Change> = {
  'application/merge-patch+json': mergePatch,
  'application/strategic-merge-patch+json': mergePatch,
  'application/json-patch+json': (old, body) => jsonPatch(old, body as Operation[]),
};

export function patch(call: Call): Answer {
  const change = TYPES[call.contentType];
  if (!change) throw unsupported(call.contentType);
  const old = existing(call);
  const { object, found } = decoded(call, change(old, call.body));
  return ok(replaced(call, { old, object, causes: found.causes }));
}

const unsupported = (type: string): StatusError =>
  new StatusError(415, {
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${Object.keys(TYPES).join(', ')}, application/apply-patch+yaml (was ${type})`,
  });
