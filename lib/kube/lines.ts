/** Text out of bytes that come in pieces: a piece may end in the middle of a character, or of a line. */
import { ConnectionError } from './errors.ts';

/** Each piece as text; the bytes of a torn character wait for the next piece. */
export async function* decode(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    if (text) yield text;
  }
}

/** An object is at most about 1.5 MiB in etcd. */
const MAX_LINE = 16 * 1024 * 1024;

/** Each whole line. What follows the last line end was cut off by a broken connection, and is dropped. */
export async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  let open = '';
  for await (const text of decode(chunks)) {
    const [head = '', ...rest] = text.split('\n');
    open += head;
    if (open.length > MAX_LINE) throw new ConnectionError(`a line of a watch is longer than ${MAX_LINE} characters`);
    for (const next of rest) {
      yield open;
      open = next;
    }
  }
}
