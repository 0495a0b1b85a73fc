/**
 * Acting as another, as kube-apiserver 1.37 decides it. First constrained impersonation (KEP-5284): one grant says
 * who may be impersonated, a second says what may be done as them. Where that fails, the older verb `impersonate`,
 * which says who and lets everything be done. The first refusal is the one that is told.
 */
import type { Person } from '../../lib/api/meta.ts';
import type { ApiError } from '../../lib/kube/errors.ts';
import type { Attributes } from '../types.ts';
import { readImpersonation, type Wanted } from './impersonation-headers.ts';
import { forbidden } from './rbac.ts';
import { serviceAccountGroups } from './tokens.ts';

export interface Impersonation {
  /** Who the request acts as from here on. */
  user: Person;
  /** The same, where that is not who sent the request; for the audit log. */
  impersonated?: Person;
  /** The verb that allowed it in constrained mode; for the audit log. */
  constraint?: string;
}

/** One right that is needed: any one of `any` is enough. A `refusal` is one that no grant helps against. */
interface Need {
  any: Attributes[];
  refusal?: string;
}

/** From this many values on, a grant for the name `*` does instead of a grant for each. */
const MANY = 4;
const SERVICE_ACCOUNT = /^system:serviceaccount:([a-z0-9][-a-z0-9]{0,62}):([a-z0-9][-.a-z0-9]{0,252})$/;
const NODE = /^system:node:[a-z0-9][-.a-z0-9]*$/;
const EXTRA_KEY = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?\/[a-z0-9/\-._~%!$&'()*+,;=:]+$/;

/**
 * Who acts: `attributes.user`, or whom the `Impersonate-*` headers name. Headers come as they were sent, one pair a
 * line. Throws 400 for headers that name nobody and 403 where rights are missing.
 */
export function impersonate(
  headers: readonly (readonly [string, string])[],
  attributes: Attributes,
  allowed: (attributes: Attributes) => boolean,
): Impersonation {
  const wanted = readImpersonation(headers);
  if (!wanted) return { user: attributes.user };
  const impersonated = become(wanted);
  const mode = constrainedMode(wanted);
  const refused = mode && firstRefusal(constrainedNeeds(mode, wanted, attributes), allowed);
  if (mode && !refused) return { user: impersonated, impersonated, constraint: `impersonate:${mode}` };
  const classic = firstRefusal(needs('impersonate', wanted, attributes), allowed);
  if (classic) throw refused ?? classic;
  return { user: impersonated, impersonated };
}

/** Service accounts by name alone, other users whole. Nodes have modes of their own, which are not here. */
function constrainedMode({ username, uid, groups, extra }: Wanted): 'serviceaccount' | 'user-info' | undefined {
  if (NODE.test(username)) return undefined;
  if (!SERVICE_ACCOUNT.test(username)) return 'user-info';
  return uid || groups.length > 0 || Object.keys(extra).length > 0 ? undefined : 'serviceaccount';
}

function firstRefusal(needed: Iterable<Need>, allowed: (attributes: Attributes) => boolean): ApiError | undefined {
  for (const { any, refusal } of needed) {
    const last = any.at(-1);
    if (last && (refusal || !any.some(allowed))) return forbidden(last, refusal);
  }
  return undefined;
}

function* constrainedNeeds(mode: string, wanted: Wanted, attributes: Attributes): Generator<Need> {
  yield { any: [{ ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` }] };
  yield* needs(`impersonate:${mode}`, wanted, attributes);
}

/** The rights to be this person: the user or service account, the uid, each group, each value of an extra. */
function* needs(verb: string, wanted: Wanted, { user }: Attributes): Generator<Need> {
  const authn = { user, verb, group: 'authentication.k8s.io', version: 'v1', subresource: '', namespace: '', path: '' };
  const constrained = verb !== 'impersonate';
  const groups = { ...authn, group: constrained ? authn.group : '', resource: 'groups', name: '' };
  const extras = { ...authn, resource: 'userextras', name: '' };
  yield { any: [{ ...groups, ...whom(wanted.username) }] };
  if (wanted.uid) yield { any: [{ ...authn, resource: 'uids', name: wanted.uid }] };
  if (constrained) yield* neverConstrained(wanted, groups, extras);
  const names = wanted.groups.map((name) => ({ name }));
  yield* eachOrAll(groups, names, constrained && { name: '*' });
  const values = Object.entries(wanted.extra).flatMap(([key, all]) => all.map((name) => ({ subresource: key, name })));
  yield* eachOrAll(extras, values, constrained && { subresource: '*', name: '*' });
}

function whom(username: string): Partial<Attributes> {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(username) ?? [];
  return namespace && name ? { resource: 'serviceaccounts', namespace, name } : { resource: 'users', name: username };
}

function* eachOrAll(
  base: Attributes,
  values: Partial<Attributes>[],
  all: Partial<Attributes> | false,
): Generator<Need> {
  const ways = all && values.length >= MANY ? [all] : [];
  for (const value of values) yield { any: [...ways, value].map((over) => ({ ...base, ...over })) };
}

/** What constrained impersonation refuses whatever was granted. */
function* neverConstrained({ groups, extra }: Wanted, group: Attributes, userExtra: Attributes): Generator<Need> {
  const empty = 'impersonating the empty string';
  if (groups.includes('')) yield { any: [group], refusal: `${empty} group is not allowed` };
  const masters = 'system:masters';
  if (groups.includes(masters)) {
    yield { any: [{ ...group, name: masters }], refusal: `impersonating the ${masters} group is not allowed` };
  }
  for (const [key, values] of Object.entries(extra)) {
    if (!EXTRA_KEY.test(key))
      yield { any: [userExtra], refusal: `impersonating ${flaw(key)} key in extra is not allowed: "${key}"` };
    if (values.includes('')) yield { any: [userExtra], refusal: `${empty} value in extra is not allowed` };
  }
}

const flaw = (key: string): string => (EXTRA_KEY.test(key.toLowerCase()) ? 'a non-lowercase' : 'an invalid');

/** The person that comes of it: with the groups that the server itself adds. */
function become({ username, uid, groups, extra }: Wanted): Person {
  const [, namespace] = SERVICE_ACCOUNT.exec(username) ?? [];
  const all = groups.length === 0 && namespace ? serviceAccountGroups(namespace) : groups;
  const unauthenticated = username === 'system:anonymous' || all.includes('system:unauthenticated');
  const added = unauthenticated ? 'system:unauthenticated' : 'system:authenticated';
  return {
    username,
    ...(uid && { uid }),
    groups: all.includes(added) ? all : [...all, added],
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}
