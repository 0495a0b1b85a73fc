/** People whom functions may act as on clusters before 1.36, from a file: what `tiny whoami -o json` prints for each. */
import { z } from 'zod/mini';
import type { Person } from '../../lib/api/meta.ts';
import { Failure } from '../failure.ts';

const texts = z.array(z.string());
/** As an API server tells who somebody is; the rest of what `tiny whoami` prints is left aside. */
const person = z.object({
  username: z.string().check(z.minLength(1)),
  uid: z.optional(z.string()),
  groups: z.optional(texts),
  extra: z.optional(z.record(z.string(), texts)),
});
const people = z.union([
  z.array(person),
  z.pipe(
    person,
    z.transform((one) => [one]),
  ),
]);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One, or a list. Throws `Failure` where the file holds something else; it is named `file` in the message. */
export function readPeople(text: string, file: string): Person[] {
  const { data, success } = z.safeParse(people, parsed(text));
  if (!success)
    throw new Failure(
      `${file} holds no people`,
      'It is JSON: what `tiny whoami -o json` prints for whom functions may act as, or a list of that.',
    );
  return data.map(({ username, uid, groups, extra }) => ({
    username,
    ...(uid && { uid }),
    ...(groups && { groups }),
    ...(extra && { extra }),
  }));
}
