/**
 * Events as they lie in files: captured requests (one, or a list), or a structured CloudEvent. Pure. What is in them
 * is judged by `receive`, the same as for an event that was delivered.
 */
import { UsageError } from '../failure.ts';

/** A request as a function would get it. */
export interface StoredEvent {
  headers: Record<string, string>;
  body: string;
  /** What a capture says about it. */
  note?: string;
}

/** Said anew by whoever sends the request. */
const HOP = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding', 'user-agent']);

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function headersOf(headers: Json): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return Object.fromEntries(entries.filter(([name]) => !HOP.has(name)));
}

function toStored(value: unknown, file: string): StoredEvent {
  if (!isObject(value)) throw new UsageError(`${file} holds something that is no event`);
  if (value['specversion'] !== undefined) {
    return { headers: { 'content-type': 'application/cloudevents+json' }, body: JSON.stringify(value) };
  }
  const { headers, body, note } = value;
  if (!isObject(headers)) {
    throw new UsageError(
      `${file} is neither a captured request ({headers, body}) nor a structured CloudEvent ({specversion, type, …})`,
    );
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
  return { headers: headersOf(headers), body: text, ...(typeof note === 'string' && { note }) };
}

/** The events that `text`, read from `file`, holds. */
export function parseStored(text: string, file: string): StoredEvent[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${(error as Error).message}`);
  }
  return (Array.isArray(value) ? value : [value]).map((one) => toStored(one, file));
}

/** What an event says it is, in one line. */
const title = ({ headers, note }: StoredEvent): string => note ?? headers['ce-type'] ?? 'structured CloudEvent';

/** The event that is meant: the only one, or the one counted from 1. */
export function pick(events: readonly StoredEvent[], index: string | undefined): StoredEvent {
  const [only, ...others] = events;
  const chosen = index === undefined && !others.length ? only : events[Number(index) - 1];
  if (chosen) return chosen;
  if (!only) throw new UsageError('the file holds no event');
  throw new UsageError(
    index === undefined
      ? `the file holds ${events.length} events: say which with --index`
      : `--index must be 1 to ${events.length}`,
    ...events.map((event, at) => `--index ${at + 1}   ${title(event)}`),
  );
}
