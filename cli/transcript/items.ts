/**
 * Lines of a log as what they are: entries of the transcript, each once however often a pod's log repeats it, and other
 * output of the container. A line without an end is bounded: what is too long is cut, and is no entry.
 */
import { type Entry, MAX_ENTRY_LINE, parseEntry, type UnknownEntry } from '../../lib/api/transcript.ts';

export type Item = { line: string; entry?: Entry | UnknownEntry };

/** What a reader has seen so far. */
export interface Seen {
  lastSeq: number;
  /** Whether the last of it was the end of the Session. */
  finished?: boolean;
  /** Whether the volume was read. */
  volume?: boolean;
}

/** Each line of `chunks`, at most so long. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let open = '';
  for await (const chunk of chunks) {
    const lines = (open + chunk).split('\n');
    open = (lines.pop() ?? '').slice(0, MAX_ENTRY_LINE + 1);
    yield* lines;
  }
  if (open !== '') yield open;
}

/** What `lines` hold that was not seen before. Other output that stands among what was seen is passed over with it. */
export async function* news(lines: AsyncIterable<string>, seen: Seen): AsyncGenerator<Item> {
  let isNews = seen.lastSeq === 0;
  for await (const line of lines) {
    const item = itemOf(line);
    if (item.entry) isNews = item.entry.seq > seen.lastSeq;
    if (!isNews || !line.trim()) continue;
    note(item, seen);
    yield item;
  }
}

function note({ entry }: Item, seen: Seen): void {
  if (!entry) return;
  seen.lastSeq = entry.seq;
  if (entry.type !== 'note') seen.finished = entry.type === 'finished';
}

function itemOf(line: string): Item {
  const entry = parseEntry(line);
  return entry ? { line, entry } : { line };
}

/** The last `count` of `items`, once they have ended. */
export async function lastOf(items: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const kept: Item[] = [];
  for await (const item of items) {
    kept.push(item);
    if (kept.length > 2 * count + 1) kept.splice(0, kept.length - count);
  }
  return count === 0 ? [] : kept.slice(-count);
}
