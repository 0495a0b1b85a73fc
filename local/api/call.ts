/** One request on its way through the stand-in: what it asks for, of what, and what it may use. */
import type { TokenKeys } from '../auth/tokens.ts';
import type { Attributes, Stored } from '../types.ts';
import type { Registry, Resource } from './resources.ts';
import type { Store } from './store.ts';

/** What the verbs work on. */
export interface Api {
  store: Store;
  registry: Registry;
  now: () => Date;
}

export interface Call {
  api: Api;
  resource: Resource;
  attributes: Attributes;
  query: URLSearchParams;
  /** The request's body, as JSON; `undefined` where there is none. */
  body: unknown;
  /** Of the body, without parameters. */
  contentType: string;
  accept: string;
  /** Who sets fields, as in `metadata.managedFields`. */
  manager: string;
  /** Told to the client in `Warning` headers. */
  warnings: string[];
  /** Admission: `object` as it may be stored, in place of `old`. Throws a refusal. */
  admit: (object: Stored, old: Stored | undefined) => Stored;
  /** Admission of a deletion. Throws a refusal. */
  admitDeletion: (object: Stored) => void;
  /** Sign the tokens of service accounts. */
  keys: TokenKeys;
  /** Throws 403 where the caller may not do this too. */
  authorize: (verb: string) => void;
}

export interface Answer {
  code: number;
  body: Record<string, unknown>;
}

export const ok = (body: Record<string, unknown>, code = 200): Answer => ({ code, body });

/** Kubernetes' timestamps: seconds, UTC. */
export const timestamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;

export const isDryRun = ({ query }: Call): boolean => query.get('dryRun') === 'All';
