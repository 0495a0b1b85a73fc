/** Reads `Impersonate-User`, `-Uid`, `-Group` and `-Extra-*`: whom a request asks to act as, before any right is checked. */
import { ApiError } from '../../lib/kube/errors.ts';

/** Whom the headers name, as they name them; `''` and empty lists where they say nothing. */
export interface Wanted {
  username: string;
  uid: string;
  groups: string[];
  extra: Record<string, string[]>;
}

const EXTRA = 'impersonate-extra-';

/** `undefined` where nobody is named. Throws 400 where a group, uid or extra comes without a user. */
export function readImpersonation(headers: readonly (readonly [string, string])[]): Wanted | undefined {
  const named = headers.map(([name, value]) => ({ name: name.toLowerCase(), value: utf8(value) }));
  const values = (name: string) => named.filter((header) => header.name === name).map(({ value }) => value);
  const extras = named.filter(({ name }) => name.startsWith(EXTRA));
  const byKey = Map.groupBy(extras, ({ name }) => unescapeKey(name.slice(EXTRA.length)));
  const extra = Object.fromEntries([...byKey].map(([key, all]) => [key, all.map(({ value }) => value)]));
  const [username = ''] = values('impersonate-user');
  const [uid = ''] = values('impersonate-uid');
  const wanted = { username, uid, groups: values('impersonate-group'), extra };
  if (username) return wanted;
  if (!uid && wanted.groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  const message = `requested ${JSON.stringify(wanted)} without impersonating a user name`;
  throw new ApiError(400, { reason: 'BadRequest', message });
}

/** Node reads the bytes of a header as Latin-1; Kubernetes reads them as UTF-8. */
const utf8 = (value: string): string => Buffer.from(value, 'latin1').toString();

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
