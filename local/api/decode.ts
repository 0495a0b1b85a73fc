/** From a request's body to an object of the right kind, in the right place, without what its schema doesn't know. */
import { apiVersion } from '../../lib/kube/path.ts';
import type { Stored } from '../types.ts';
import { type Call, namespaceOf } from './call.ts';
import { badRequest } from './errors.ts';
import { metadataProblem, pruned } from './schema.ts';

/** Throws 400. */
export function decoded(call: Call, body: unknown): Stored {
  const { kind, schema } = call.resource;
  const named = { kind, apiVersion: apiVersion(call.resource) };
  const { metadata: stated, ...rest } = { ...named, metadata: {}, ...(body as object | undefined) };
  const metadata = Object.fromEntries(Object.entries(stated ?? {}).filter(([, value]) => value !== null));
  const isOther = rest.kind !== kind || rest.apiVersion !== named.apiVersion;
  const problem = isOther ? `it is ${rest.apiVersion}, Kind=${rest.kind}` : metadataProblem(metadata);
  if (problem) throw unfit(call, problem);
  const { kind: _, apiVersion: __, ...fields } = rest;
  const unknown: string[] = [];
  const known = schema ? (pruned(fields, schema, (path) => unknown.push(path.slice(1))) as object) : fields;
  tellUnknown(call, unknown);
  return { ...named, metadata: inPlace(call, metadata), ...known };
}

const unfit = ({ resource: { kind, version } }: Call, problem: string) =>
  badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);

/** Metadata with the name and namespace of the request. */
function inPlace(call: Call, metadata: Record<string, unknown>): Stored['metadata'] {
  const { name: asked } = call.attributes;
  const namespace = namespaceOf(call);
  const { namespace: stated, name = asked, ...rest } = metadata;
  if (asked && name !== asked) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${asked})`);
  }
  if (stated && stated !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return { name, ...rest, ...(namespace && { namespace }) } as Stored['metadata'];
}

/** Refuses, tells or ignores unknown fields, as was asked. */
function tellUnknown(call: Call, unknown: string[]): void {
  const texts = unknown.map((path) => `unknown field "${path}"`);
  const validation = call.query.get('fieldValidation') ?? 'Warn';
  if (validation === 'Warn') call.warnings.push(...texts);
  if (validation === 'Strict' && texts.length > 0) throw unfit(call, `strict decoding error: ${texts.join(', ')}`);
}
