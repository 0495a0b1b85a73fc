/** One request on its way through the stand-in: what it asks for, of what, and what all requests share. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Person } from '../../lib/api/meta.ts';
import type { AuditLog } from '../auth/audit.ts';
import type { TokenKeys } from '../auth/tokens.ts';
import type { Attributes } from '../types.ts';
import type { Attach } from './attach.ts';
import type { Registry, Resource } from './resources.ts';
import type { Store } from './store.ts';
import type { Logs } from './subresources.ts';

/** What a request is answered with. */
export interface Api {
  store: Store;
  registry: Registry;
  now: () => Date;
  /** People by their bearer token. */
  people: ReadonlyMap<string, Person>;
  /** Sign the tokens of service accounts. */
  keys: TokenKeys;
  audit: AuditLog;
  /** Told what should not have happened. */
  log: (line: string) => void;
  logs: Logs | undefined;
  attach: Attach | undefined;
}

export interface Call {
  api: Api;
  /** What is asked for, as whom. */
  attributes: Attributes;
  resource: Resource;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The request's body, as JSON; `undefined` where there is none. */
  body: unknown;
  /** Told to the client in `Warning` headers. */
  warnings: string[];
}

export interface Answer {
  code: number;
  body: Record<string, unknown>;
}

export const ok = (body: Record<string, unknown>, code = 200): Answer => ({ code, body });

/** Of the body, without parameters. */
export const contentTypeOf = (headers: IncomingHttpHeaders): string =>
  (headers['content-type'] ?? 'application/json').split(';')[0]?.trim() ?? '';

export const APPLY = 'application/apply-patch+yaml';
export const isApply = ({ headers }: Call): boolean => contentTypeOf(headers) === APPLY;

export const isDryRun = ({ query }: Call): boolean => query.get('dryRun') === 'All';

/** The namespace that the request is about; `''` for one of the cluster, which a Namespace itself is. */
export const namespaceOf = ({ resource, attributes }: Pick<Call, 'resource' | 'attributes'>): string =>
  resource.namespaced ? attributes.namespace : '';

/** What the caller sets fields as, and keeps what it needs to for server-side apply. */
export function writingOf({ api, attributes, query, headers, resource }: Call) {
  const agent = headers['user-agent']?.split('/')[0] ?? 'unknown';
  const manager = query.get('fieldManager') ?? agent;
  return { manager, subresource: attributes.subresource, now: api.now(), keys: resource.keys };
}
