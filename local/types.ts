/** The words that the parts of the stand-in share: who asks, for what, and what is stored. */
import type { KubeObject, Person } from '../lib/api/meta.ts';

/** What one request asks for, as an authorizer sees it. */
export interface Attributes {
  user: Person;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or an impersonation verb. */
  verb: string;
  /** `''` is the core group. */
  group: string;
  version: string;
  /** Plural; `''` for a path that is no resource. */
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  /** The path of the URL, for what is no resource. */
  path: string;
}

/** Asks for nothing yet. */
export const NOTHING: Omit<Attributes, 'user' | 'verb'> = {
  ...{ group: '', version: '', resource: '', subresource: '' },
  ...{ namespace: '', name: '', path: '' },
};

/** Any object as stored: the API's JSON. */
export type Stored = KubeObject & Record<string, unknown>;

/** What the authorizer reads, by plural and namespace; it sees each change at once. */
export type Rbac = (plural: string, namespace?: string) => readonly Stored[];
