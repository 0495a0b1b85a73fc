/**
 * Walks Sessions and their children side by side. A child has its Session's name, and the API server lists every kind
 * in the same order, so that one of each is held at a time, however many there are.
 */
import type { KubeObject, Stored } from '../api/meta.ts';

type Objects<T extends KubeObject> = AsyncIterator<Stored<T>>;

const keyOf = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`;

interface Cursor {
  stream: Objects<KubeObject>;
  current: Stored<KubeObject> | undefined;
  started: boolean;
}

/** Moves to the first object whose key is not before `key`, and gives it if it is that one. */
async function seek(cursor: Cursor, key: string): Promise<Stored<KubeObject> | undefined> {
  const behind = () => !cursor.started || (cursor.current !== undefined && keyOf(cursor.current) < key);
  while (behind()) {
    cursor.started = true;
    const { value, done } = await cursor.stream.next();
    cursor.current = done ? undefined : value;
  }
  return cursor.current && keyOf(cursor.current) === key ? cursor.current : undefined;
}

/** Each of `parents` with the objects of its name, one place a stream; all are in the order of their keys. */
export async function* joined<T extends KubeObject>(
  parents: AsyncIterable<Stored<T>>,
  streams: readonly AsyncIterable<Stored<KubeObject>>[],
): AsyncGenerator<{ parent: Stored<T>; children: (Stored<KubeObject> | undefined)[] }, void> {
  const cursors = streams.map(
    (one): Cursor => ({
      stream: one[Symbol.asyncIterator](),
      current: undefined,
      started: false,
    }),
  );
  for await (const parent of parents) {
    const children = await Promise.all(cursors.map((cursor) => seek(cursor, keyOf(parent))));
    yield { parent, children };
  }
}
