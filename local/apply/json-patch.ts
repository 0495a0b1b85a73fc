/** JSON patch (RFC 6902), each operation in turn or none of them: `add`, `remove`, `replace` and `test`. */
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../lib/kube/errors.ts';
import { badRequest, notImplemented } from '../api/errors.ts';

export interface Operation {
  op: string;
  path: string;
  value?: unknown;
}

interface Place {
  parent: Record<string, unknown> | unknown[];
  key: string;
}

const OPERATIONS: Record<string, (place: Place, value: unknown) => void> = {
  add: put,
  remove(place) {
    read(place);
    if (Array.isArray(place.parent)) place.parent.splice(Number(place.key), 1);
    else delete place.parent[place.key];
  },
  replace(place, value) {
    read(place);
    (place.parent as Record<string, unknown>)[place.key] = value;
  },
  test(place, value) {
    if (!isDeepStrictEqual(has(place) ? read(place) : null, value ?? null)) throw impossible('the value differs');
  },
};

/** `target` with the patch applied; `target` itself is not changed. Throws 422 where an operation can't be done. */
export function jsonPatch(target: unknown, operations: readonly Operation[]): unknown {
  if (!Array.isArray(operations)) throw badRequest('a JSON patch is a list');
  const document = { root: structuredClone(target) };
  for (const { op, path, value } of operations) {
    const act = Object.hasOwn(OPERATIONS, op) && OPERATIONS[op];
    if (!act) throw notImplemented(`the operation "${op}" of a JSON patch`);
    act(locate(document, String(path)), value);
  }
  return document.root;
}

const impossible = (why: string): ApiError =>
  new ApiError(422, { reason: 'Invalid', message: `the JSON patch does not apply: ${why}` });

/** Where the pointer leads: its last step is not taken yet, so that nothing needs to be there. */
function locate(document: { root: unknown }, pointer: string): Place {
  if (pointer !== '' && !pointer.startsWith('/')) throw impossible(`"${pointer}" is no JSON pointer`);
  let place: Place = { parent: document, key: 'root' };
  for (const step of pointer.split('/').slice(1)) {
    const parent = read(place);
    if (typeof parent !== 'object' || parent === null) throw impossible(`"${place.key}" holds no fields`);
    place = { parent: parent as Place['parent'], key: step.replace(/~1/g, '/').replace(/~0/g, '~') };
  }
  return place;
}

/** Own fields only: a pointer must not lead into a prototype. */
function has({ parent, key }: Place): boolean {
  return Array.isArray(parent) ? /^\d+$/.test(key) && Number(key) < parent.length : Object.hasOwn(parent, key);
}

function read(place: Place): unknown {
  if (!has(place)) throw impossible(`there is no "${place.key}"`);
  return (place.parent as Record<string, unknown>)[place.key];
}

function put({ parent, key }: Place, value: unknown): void {
  if (!Array.isArray(parent)) {
    Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  const index = key === '-' ? parent.length : Number(key);
  if (!/^(-|\d+)$/.test(key) || index > parent.length) throw impossible(`"${key}" is outside of the list`);
  parent.splice(index, 0, value);
}
