/** Tables as the server prints them for `kubectl get`, where the client accepts `application/json;as=Table`. */
import type { Stored } from '../types.ts';
import type { Call } from './call.ts';
import { builtInColumns, type Column, definedColumn, NAME_COLUMN } from './columns.ts';
import { groupResource } from './errors.ts';

type Json = Record<string, unknown>;

export const wantsTable = (accept: string): boolean =>
  /as=Table;v=v1;g=meta\.k8s\.io|as=Table;g=meta\.k8s\.io;v=v1\b/.test(accept);

/** An object or a list as a table; an answer that is neither stays as it is. */
export function asTable(call: Call, body: Json, withColumns = true): Json {
  if (body.kind === 'Status') return body;
  const items = Array.isArray(body.items) ? (body.items as Stored[]) : [body as Stored];
  const { columns } = call.resource;
  const all = columns ? [NAME_COLUMN, ...columns.map(definedColumn)] : builtInColumns(groupResource(call.resource));
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: Array.isArray(body.items)
      ? body.metadata
      : { resourceVersion: (body as Stored).metadata.resourceVersion },
    columnDefinitions: withColumns ? all.map(definition) : null,
    rows: items.map((object) => row(call, all, object)),
  };
}

const definition = ({ cell: _, ...column }: Column) => ({ format: '', description: '', priority: 0, ...column });

function row({ api, query }: Call, columns: Column[], object: Stored): Json {
  const now = api.now();
  const cells = columns.map(({ cell }) => cell(object, now));
  const include = query.get('includeObject') ?? 'Metadata';
  if (include === 'None') return { cells };
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
  return { cells, object: include === 'Object' ? object : partial };
}
