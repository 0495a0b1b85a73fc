/** The verbs that read once: get and list, with selectors, pages and tables. */
import type { Stored } from '../types.ts';
import { type Answer, type Call, ok } from './call.ts';
import { badRequest, expired, groupResource } from './errors.ts';
import { fieldSelector, labelSelector } from './selectors.ts';
import { existing } from './write.ts';

export const get = (call: Call): Answer => ok(existing(call));

/** Whether an object is among those that the request selects. Throws 400 for a selector that can't be read. */
export function selection({ query, resource }: Call): (object: Stored) => boolean {
  const labels = labelSelector(query.get('labelSelector') ?? '');
  const fields = ['metadata.name', 'metadata.namespace', ...resource.selectable];
  const matches = fieldSelector(query.get('fieldSelector') ?? '', fields);
  return (object) => labels(object) && matches(object);
}

/** Where a list goes on: at which version, after which object. */
interface Continue {
  version: number;
  after: string;
}

/** One page of the objects as they all were at one version. */
export function list(call: Call): Answer {
  const { api, resource, query } = call;
  const from = continueOf(query) ?? { version: exactVersion(query) ?? api.store.version, after: '' };
  const limit = Number(query.get('limit') ?? 0);
  const rest = objectsAt(call, from.version).filter((object) => placeOf(object) > from.after);
  const items = limit > 0 ? rest.slice(0, limit) : rest;
  const last = items.at(-1);
  const more = rest.length - items.length;
  const next = last && more > 0 && { continue: encode({ ...from, after: placeOf(last) }), remainingItemCount: more };
  return ok({
    kind: `${resource.kind}List`,
    apiVersion: resource.group ? `${resource.group}/${resource.version}` : resource.version,
    metadata: { resourceVersion: String(from.version), ...next },
    items,
  });
}

/** The selected objects as they were at `version`. Throws 410 where that is too long ago. */
function objectsAt(call: Call, version: number): Stored[] {
  const { store } = call.api;
  const namespace = call.resource.namespaced ? call.attributes.namespace : '';
  const objects = store.listAt(groupResource(call.resource), namespace, version);
  if (!objects) throw expired('The provided continue parameter or resourceVersion is too old: list anew without it');
  return objects.filter(selection(call));
}

const placeOf = ({ metadata: { namespace, name } }: Stored): string => `${namespace ?? ''}/${name}`;

const exactVersion = (query: URLSearchParams): number | undefined =>
  query.get('resourceVersionMatch') === 'Exact' ? Number(query.get('resourceVersion')) : undefined;

const encode = (token: Continue): string => Buffer.from(JSON.stringify(token)).toString('base64url');

function continueOf(query: URLSearchParams): Continue | undefined {
  const text = query.get('continue');
  if (!text) return undefined;
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Continue;
  } catch {
    throw badRequest('continue key is not valid');
  }
}
