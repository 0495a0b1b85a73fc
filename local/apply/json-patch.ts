/** JSON patch (RFC 6902): each operation in turn, or none of them. */
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../lib/kube/errors.ts';

export interface Operation {
  op: string;
  path: string;
  from?: string;
  value?: unknown;
}

/** The API server's own limit. */
const MAX_OPERATIONS = 10_000;

/** What the operation can't be done for; becomes the message of the 422. */
class Impossible extends Error {}

/** `target` with the patch applied; `target` itself is not changed. Throws 422 where an operation can't be done. */
export function jsonPatch(target: unknown, operations: readonly Operation[]): unknown {
  if (!Array.isArray(operations)) throw new ApiError(400, { reason: 'BadRequest', message: 'a JSON patch is a list' });
  if (operations.length > MAX_OPERATIONS) {
    const message = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`;
    throw new ApiError(413, { reason: 'RequestEntityTooLarge', message });
  }
  const document = { root: structuredClone(target) };
  for (const operation of operations) {
    try {
      perform(document, operation);
    } catch (error) {
      if (!(error instanceof Impossible)) throw error;
      const message = `the JSON patch's ${operation.op} operation does not apply to "${operation.path}": ${error.message}`;
      throw new ApiError(422, { reason: 'Invalid', message });
    }
  }
  return document.root;
}

type Container = Record<string, unknown> | unknown[];
interface Place {
  parent: Container;
  key: string;
}

type Root = { root: unknown };

const OPERATIONS: Record<string, (document: Root, operation: Operation) => void> = {
  add: (document, { path, value }) => put(locate(document, path), value),
  remove: (document, { path }) => take(locate(document, path)),
  replace: (document, { path, value }) => replace(locate(document, path), value),
  copy: (document, { path, from = '' }) => put(locate(document, path), structuredClone(read(locate(document, from)))),
  move(document, { path, from = '' }) {
    const value = take(locate(document, from));
    put(locate(document, path), value);
  },
  test(document, { path, value }) {
    const place = locate(document, path);
    if (!isDeepStrictEqual(has(place) ? read(place) : null, value ?? null)) throw new Impossible('the value differs');
  },
};

function perform(document: Root, operation: Operation): void {
  const { op } = operation;
  const act = Object.hasOwn(OPERATIONS, op) ? OPERATIONS[op] : undefined;
  if (!act) throw new Impossible('there is no such operation');
  act(document, operation);
}

/** Where the pointer leads: its last step is not taken yet, so that nothing needs to be there. */
function locate(document: Root, pointer: string): Place {
  if (pointer !== '' && !pointer.startsWith('/')) throw new Impossible(`"${pointer}" is no JSON pointer`);
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));
  let place: Place = { parent: document, key: 'root' };
  for (const key of steps) {
    const parent = read(place);
    if (typeof parent !== 'object' || parent === null) throw new Impossible(`"${place.key}" holds no fields`);
    place = { parent: parent as Container, key };
  }
  return place;
}

/** Own fields only: a pointer must not lead into a prototype. */
function has({ parent, key }: Place): boolean {
  return Array.isArray(parent) ? /^\d+$/.test(key) && Number(key) < parent.length : Object.hasOwn(parent, key);
}

function read(place: Place): unknown {
  if (!has(place)) throw new Impossible(`there is no "${place.key}"`);
  return (place.parent as Record<string, unknown>)[place.key];
}

function take(place: Place): unknown {
  const value = read(place);
  if (Array.isArray(place.parent)) place.parent.splice(Number(place.key), 1);
  else delete place.parent[place.key];
  return value;
}

function replace(place: Place, value: unknown): void {
  read(place);
  (place.parent as Record<string, unknown>)[place.key] = value;
}

function put({ parent, key }: Place, value: unknown): void {
  if (!Array.isArray(parent)) {
    Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  const index = key === '-' ? parent.length : Number(key);
  if (!/^(-|\d+)$/.test(key) || index > parent.length) throw new Impossible(`"${key}" is outside of the list`);
  parent.splice(index, 0, value);
}
