/** The verbs that read once: get and list, with selectors and pages. */
import { apiVersion, resourceName } from '../../lib/kube/path.ts';
import type { Stored } from '../types.ts';
import { type Answer, type Call, namespaceOf, ok } from './call.ts';
import { badRequest, expired } from './errors.ts';
import { fieldSelector, labelSelector } from './selectors.ts';
import { keyOf } from './store.ts';
import { existing } from './write.ts';

export const get = (call: Call): Answer => ok(existing(call));

/** Whether an object is among those that the request selects. Throws 400 for a selector that can't be read. */
export function selection({ query, resource }: Call): (object: Stored) => boolean {
  const labels = labelSelector(query.get('labelSelector') ?? '');
  const selectable = ['metadata.name', 'metadata.namespace', ...resource.selectable];
  const fields = fieldSelector(query.get('fieldSelector') ?? '', selectable);
  return (object) => labels(object) && fields(object);
}

/** One page of the objects as they all were at one version. Throws 410 where that is too long ago. */
export function list(call: Call): Answer {
  const { api, resource, query } = call;
  const { version, after } = startOf(query) ?? { version: api.store.version, after: '' };
  const objects = api.store.listAt(resourceName(resource), namespaceOf(call), version);
  if (!objects) throw expired('The provided continue parameter is too old: list anew without it');
  const selected = objects.filter(selection(call)).filter((object) => keyOf(object) > after);
  const items = selected.slice(0, Number(query.get('limit') || selected.length));
  const last = items.at(-1);
  const remainingItemCount = selected.length - items.length;
  const place = last && remainingItemCount > 0 && JSON.stringify({ version, after: keyOf(last) });
  const next = place && { continue: Buffer.from(place).toString('base64url'), remainingItemCount };
  const metadata = { resourceVersion: String(version), ...next };
  return ok({ kind: `${resource.kind}List`, apiVersion: apiVersion(resource), metadata, items });
}

/** Where a list goes on: at which version, after which object. */
function startOf(query: URLSearchParams): { version: number; after: string } | undefined {
  const text = query.get('continue');
  if (!text) return undefined;
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw badRequest('continue key is not valid');
  }
}
