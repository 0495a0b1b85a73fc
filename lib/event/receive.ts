/**
 * Reads a delivered event into the name of one object. That is all that is taken from it: an event is a hint, and
 * its data may be old. What can't be read is refused with 400, which a Knative trigger does not deliver again.
 */
import { CloudEvent, HTTP, type Message } from 'cloudevents';
import * as z from 'zod/mini';
import type { ResourceType } from '../kube/types.ts';

/** The event can't be read; the message says why and quotes nothing of it. */
export class UnreadableEvent extends Error {
  override name = 'UnreadableEvent';
}

/**
 * How an object is looked at. At a glance what was reported is believed: most events are our own reports, coming back.
 * Closely, each child is looked at too: the sweep asks for it where a child is missing or is not as it was made.
 */
export type Look = 'glance' | 'closely';

export interface Subject {
  kind: string;
  namespace: string;
  name: string;
  /** Absent: a glance. */
  look?: Look;
}

/** The longest body that is read, in bytes: an event in Reference mode has about 100, one in Resource mode an object. */
export const MAX_EVENT_BYTES = 2 * 1024 * 1024;

/** As ApiServerSource names its events, in Reference and in Resource mode. */
const TYPE = /^dev\.knative\.apiserver\.(ref|resource)\.(add|update|delete)$/;

/** The sweep's own, with the data of Reference mode: something is out of step that a glance would not show. */
export const SWEEP_TYPE = 'dev.tiny.sweep.ref';

const label = z.string().check(z.maxLength(63), z.regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/));
const reference = z.object({ apiVersion: z.string(), kind: z.string(), namespace: label, name: label });
const resource = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ namespace: label, name: label }),
});

/** What the event is about. `type` is the kind that the caller takes. Throws `UnreadableEvent`. */
export function receive(message: Message<unknown>, type: ResourceType): Subject {
  const event = read(message);
  const swept = event.type === SWEEP_TYPE;
  const mode = swept ? 'ref' : TYPE.exec(event.type)?.[1];
  if (!mode) {
    throw new UnreadableEvent(
      `the type is none of dev.knative.apiserver.(ref|resource).(add|update|delete) and ${SWEEP_TYPE}`,
    );
  }
  const { apiVersion, ...subject } =
    mode === 'ref' ? parse(reference, event.data) : flatten(parse(resource, event.data));
  const expected = [type.group, type.version].filter(Boolean).join('/');
  if (subject.kind !== type.kind || apiVersion !== expected) {
    throw new UnreadableEvent(`the data is about another kind of object than ${expected} ${type.kind}`);
  }
  return swept ? { ...subject, look: 'closely' } : subject;
}

const flatten = ({ metadata, ...rest }: z.infer<typeof resource>) => ({ ...rest, ...metadata });

/** Whether the event says its id and version itself: `cloudevents` makes up what is missing. */
function isIdentified({ headers, body }: Message<unknown>): boolean {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  if (!String(sent['content-type']).startsWith('application/cloudevents')) {
    return Boolean(sent['ce-id'] && sent['ce-specversion']);
  }
  const { id, specversion } = JSON.parse(String(body)) as Record<string, unknown>;
  return Boolean(id && specversion);
}

function read(message: Message<unknown>): CloudEvent<unknown> {
  if (Buffer.byteLength(String(message.body)) > MAX_EVENT_BYTES) throw new UnreadableEvent('it is too long');
  try {
    const event = HTTP.toEvent(message);
    if (Array.isArray(event)) throw new UnreadableEvent('a batch of events is not taken');
    if (event.specversion !== '1.0') throw new UnreadableEvent('only CloudEvents 1.0 are taken');
    if (isIdentified(message)) return new CloudEvent({ ...event }, true);
  } catch (error) {
    if (error instanceof UnreadableEvent) throw error;
  }
  throw new UnreadableEvent(
    'it is no CloudEvent 1.0: ce-id, ce-source, ce-type and ce-specversion are needed, and a JSON body',
  );
}

function parse<T extends z.core.$ZodType>(schema: T, data: unknown): z.infer<T> {
  const result = z.safeParse(schema, typeof data === 'string' ? json(data) : data);
  if (result.success) return result.data;
  const path = result.error.issues[0]?.path.join('.') || 'data';
  throw new UnreadableEvent(`the data has no fitting ${path}`);
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableEvent('the data is no JSON');
  }
}
