/**
 * Acting as another, as kube-apiserver 1.37 decides it. First constrained impersonation (KEP-5284): one grant says
 * who may be impersonated, a second says what may be done as them. Where that fails, the older verb `impersonate`,
 * which says who and lets everything be done. The first refusal is the one that is told.
 */
import type { Person } from '../../lib/api/meta.ts';
import { serviceAccountOf } from '../../lib/identity/person.ts';
import type { ApiError } from '../../lib/kube/errors.ts';
import { badRequest } from '../api/errors.ts';
import { type Attributes, NOTHING } from '../types.ts';
import { forbidden } from './rbac.ts';
import { serviceAccountGroups } from './tokens.ts';

export interface Impersonation {
  /** Who the request acts as from here on. */
  user: Person;
  /** The verb that allowed it in constrained mode; for the audit log. */
  constraint?: string;
}

/** Headers by their name in lower case, one value a line, as node gives them. */
export type Headers = Readonly<Record<string, string[] | undefined>>;

/** Whom the headers name, as they name them; `''` and empty lists where they say nothing. */
interface Wanted {
  username: string;
  uid: string;
  groups: string[];
  extra: Record<string, string[]>;
}

const EXTRA = 'impersonate-extra-';
const MASTERS = 'system:masters';

/**
 * Whom the `Impersonate-*` headers name, where they name one. Throws 400 for headers that name a group, uid or extra
 * without a user, and 403 where rights are missing.
 */
export function impersonate(
  headers: Headers,
  attributes: Attributes,
  allowed: (attributes: Attributes) => boolean,
): Impersonation | undefined {
  const wanted = read(headers);
  if (!wanted) return undefined;
  const mode = constrainedMode(wanted);
  const does = { ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` };
  const refused = mode && refusalOf([does, ...needs(`impersonate:${mode}`, wanted, attributes)], allowed);
  if (mode && !refused) return { user: become(wanted), constraint: `impersonate:${mode}` };
  const classic = refusalOf(needs('impersonate', wanted, attributes), allowed);
  if (classic) throw refused ?? classic;
  return { user: become(wanted) };
}

function read(headers: Headers): Wanted | undefined {
  const values = (name: string) => (headers[name] ?? []).map(utf8);
  const extras = Object.keys(headers).filter((name) => name.startsWith(EXTRA));
  const extra = Object.fromEntries(extras.map((name) => [unescaped(name.slice(EXTRA.length)), values(name)]));
  const [[username = ''], [uid = '']] = [values('impersonate-user'), values('impersonate-uid')];
  const wanted = { username, uid, groups: values('impersonate-group'), extra };
  if (username) return wanted;
  if (!uid && wanted.groups.length === 0 && extras.length === 0) return undefined;
  throw badRequest(`requested ${JSON.stringify(wanted)} without impersonating a user name`);
}

/** Node reads the bytes of a header as Latin-1; Kubernetes reads them as UTF-8. */
const utf8 = (value: string): string => Buffer.from(value, 'latin1').toString();

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Service accounts by name alone, other users whole. Nodes have modes of their own, which are not here. */
function constrainedMode({ username, uid, groups, extra }: Wanted): 'serviceaccount' | 'user-info' | undefined {
  if (username.startsWith('system:node:')) return undefined;
  if (!serviceAccountOf(username)) return 'user-info';
  return uid || groups.length > 0 || Object.keys(extra).length > 0 ? undefined : 'serviceaccount';
}

/** The rights to be this person: the user or service account, the uid, each group, each value of an extra. */
function needs(verb: string, { username, uid, groups, extra }: Wanted, { user }: Attributes): Attributes[] {
  const authn = { ...NOTHING, user, verb, group: 'authentication.k8s.io', version: 'v1' };
  const older = { ...authn, group: verb === 'impersonate' ? '' : authn.group };
  const account = serviceAccountOf(username);
  const values = Object.entries(extra).flatMap(([subresource, all]) => all.map((name) => ({ subresource, name })));
  return [
    { ...older, ...(account ? { resource: 'serviceaccounts', ...account } : { resource: 'users', name: username }) },
    ...(uid ? [{ ...authn, resource: 'uids', name: uid }] : []),
    ...groups.map((name) => ({ ...older, resource: 'groups', name })),
    ...values.map((each) => ({ ...authn, resource: 'userextras', ...each })),
  ];
}

/** Why not, for the first right that is missing; constrained, nobody may act with `system:masters`, whatever was granted. */
function refusalOf(needed: Attributes[], allowed: (attributes: Attributes) => boolean): ApiError | undefined {
  const isNever = ({ verb, resource, name }: Attributes) =>
    verb !== 'impersonate' && resource === 'groups' && name === MASTERS;
  const need = needed.find(isNever) ?? needed.find((each) => !allowed(each));
  const never = `impersonating the ${MASTERS} group is not allowed`;
  return need && forbidden(need, isNever(need) ? never : '');
}

/** The person that comes of it: with the groups that the server itself adds. */
function become({ username, uid, groups, extra }: Wanted): Person {
  const account = serviceAccountOf(username);
  const all = groups.length === 0 && account ? serviceAccountGroups(account.namespace) : groups;
  const unauthenticated = username === 'system:anonymous' || all.includes('system:unauthenticated');
  const added = unauthenticated ? 'system:unauthenticated' : 'system:authenticated';
  return {
    username,
    ...(uid && { uid }),
    groups: all.includes(added) ? all : [...all, added],
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}
