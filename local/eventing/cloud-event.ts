/** CloudEvents as Knative's sources make them and its broker sends them (captured from a real installation): pure. */
import type { KubeObject } from '../../lib/api/meta.ts';

export interface CloudEvent {
  /** Attributes and extensions by name, all in lower case. */
  attributes: Record<string, string>;
  contentType: string;
  body: string;
}

/** The plural of a kind as client-go guesses it (`UnsafeGuessKindToResource`), since the adapter does. */
export function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (name.endsWith('s')) return `${name}es`;
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
}

const VERBS = { ADDED: 'add', MODIFIED: 'update', DELETED: 'delete' } as const;
export type Change = keyof typeof VERBS;

export interface Sent {
  object: KubeObject;
  change: Change;
  mode: 'Reference' | 'Resource';
  /** The API server's URL. */
  source: string;
  id: string;
  time: Date;
}

/** What ApiServerSource sends for one change. */
export function apiServerEvent({ object, change, mode, source, id, time }: Sent): CloudEvent {
  const { apiVersion, kind } = object;
  const { name, namespace = '' } = object.metadata;
  const reference = { kind, namespace, name, apiVersion };
  const isReference = mode === 'Reference';
  return {
    attributes: {
      specversion: '1.0',
      id,
      type: `dev.knative.apiserver.${isReference ? 'ref' : 'resource'}.${VERBS[change]}`,
      source,
      subject: `/apis/${apiVersion}/namespaces/${namespace}/${pluralOf(kind)}/${name}`,
      time: time.toISOString(),
      apiversion: apiVersion,
      kind,
      name,
      namespace,
    },
    contentType: 'application/json',
    body: JSON.stringify(isReference ? reference : object),
  };
}

/** The headers of binary mode, as the broker's dispatcher sends them from `namespace`. */
export function headersOf({ attributes, contentType, body }: CloudEvent, namespace: string): Record<string, string> {
  const context = Object.entries(attributes).map(([name, value]) => [`ce-${name}`, value]);
  return {
    'user-agent': 'Go-http-client/1.1',
    'content-length': String(Buffer.byteLength(body)),
    ...Object.fromEntries(context),
    'content-type': contentType,
    'kn-namespace': namespace,
    prefer: 'reply',
    'accept-encoding': 'gzip',
  };
}

/** The event as it goes to a dead-letter sink; there no reply is asked for. */
export function deadLetter(
  event: CloudEvent,
  failure: { destination: string; code: number; data: string },
): CloudEvent {
  const extensions = {
    knativebrokerttl: '255',
    knativeerrordest: failure.destination,
    knativeerrorcode: String(failure.code),
    ...(failure.data ? { knativeerrordata: Buffer.from(failure.data).toString('base64') } : {}),
  };
  return { ...event, attributes: { ...event.attributes, ...extensions } };
}
