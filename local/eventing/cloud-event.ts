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

export interface Sent {
  object: KubeObject;
  change: keyof typeof VERBS;
  /** The API server's URL. */
  source: string;
  id: string;
  time: Date;
}

/** What ApiServerSource sends for one change, in Reference mode. */
export function apiServerEvent({ object, change, source, id, time }: Sent): CloudEvent {
  const { apiVersion, kind } = object;
  const { name, namespace = '' } = object.metadata;
  return {
    attributes: {
      specversion: '1.0',
      id,
      type: `dev.knative.apiserver.ref.${VERBS[change]}`,
      source,
      subject: `/apis/${apiVersion}/namespaces/${namespace}/${pluralOf(kind)}/${name}`,
      time: time.toISOString(),
      apiversion: apiVersion,
      kind,
      name,
      namespace,
    },
    contentType: 'application/json',
    body: JSON.stringify({ kind, namespace, name, apiVersion }),
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
    // Of a dead letter no reply is asked for.
    ...(attributes['knativeerrordest'] === undefined && { prefer: 'reply' }),
    'accept-encoding': 'gzip',
  };
}
