/**
 * A person as Kubernetes impersonation headers. A header that the API server would read as another name than the
 * stamped one must never be sent, so whatever a header can't carry whole is refused. Pure.
 */
import type { Person } from '../api/meta.ts';
import { isPerson, serviceAccountOf } from './person.ts';

export type Header = readonly [name: string, value: string];

/** `person` can't be impersonated; the message says why. */
export class ImpersonationRefused extends Error {
  override name = 'ImpersonationRefused';
}

/** Names the credential that was used (a pod-bound token's pod, a certificate), not what its bearer may do. */
const CREDENTIAL_PREFIX = 'authentication.kubernetes.io/';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a header
const UNSAFE = /[\u0000-\u0008\u000a-\u001f\u007f]|^[\t ]|[\t ]$/;

/** UTF-8 as a byte string, which node writes as it is; the API server reads a header's bytes as UTF-8. */
function headerValue(what: string, text: string): string {
  if (UNSAFE.test(text) || !text.isWellFormed()) {
    throw new ImpersonationRefused(
      `can't act as ${JSON.stringify(text)}: this ${what} has a control character or starts or ends with a space`,
    );
  }
  return Buffer.from(text).toString('latin1');
}

/**
 * As client-go's `headerKeyEscape`: what is no HTTP token character is percent-encoded. Upper-case letters are too,
 * because the API server lower-cases the header's name before it decodes it.
 */
const escapeKey = (key: string): string =>
  Array.from(Buffer.from(key), (byte) => {
    const char = String.fromCharCode(byte);
    return /[a-z0-9!#$&'*+.^_`|~-]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');

const extraHeaders = (extra: NonNullable<Person['extra']>): Header[] =>
  Object.entries(extra).flatMap(([key, values]) =>
    values.map((value): Header => [`Impersonate-Extra-${escapeKey(key)}`, headerValue('extra value', value)]),
  );

/**
 * Of a person what a request as them carries, and so what a policy sees of them.
 *
 * A service account goes by its name alone: the API server adds its groups, and any further header would need the
 * unrestricted verb (KEP-5284). Groups that start with `system:` are never impersonated; the API server adds
 * `system:authenticated` itself.
 */
export function asImpersonated({ username, uid, groups = [], extra = {} }: Person): Person {
  if (serviceAccountOf(username)) return { username };
  const sent = groups.filter((group) => group !== '' && !group.startsWith('system:'));
  const attributes = Object.entries(extra).filter(([key]) => !key.startsWith(CREDENTIAL_PREFIX));
  return {
    username,
    ...(uid && { uid }),
    ...(sent.length && { groups: sent }),
    ...(attributes.length && { extra: Object.fromEntries(attributes) }),
  };
}

/**
 * The headers that make a request `person`'s, one entry a value, to be sent as separate lines.
 *
 * @throws ImpersonationRefused where `person` is a part of Kubernetes, or a value does not fit into a header.
 */
export function impersonationHeaders(person: Person): Header[] {
  // Without a user name the API server would take the request for the client's own.
  if (person.username === '' || !isPerson(person)) {
    throw new ImpersonationRefused(`${JSON.stringify(person.username)} is no person to act as`);
  }
  const { username, uid, groups = [], extra = {} } = asImpersonated(person);
  return [
    ['Impersonate-User', headerValue('user name', username)],
    ...(uid ? [['Impersonate-Uid', headerValue('uid', uid)] as const] : []),
    ...groups.map((group): Header => ['Impersonate-Group', headerValue('group', group)]),
    ...extraHeaders(extra),
  ];
}
