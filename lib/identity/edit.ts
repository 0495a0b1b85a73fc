/** Changes to the file of identities: an id belongs to one person, and what is refused is not half-done. Pure. */
import { type Entry, type Identities, keysOf, notMappable } from './mapping.ts';

export type Edited = { identities: Identities } | { refusal: string };

const union = <T>(some: readonly T[] = [], more: readonly T[] = []): T[] => [...new Set([...some, ...more])];

/** Without what is empty or absent. */
const filled = (entry: Entry): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value?.length !== 0 && value !== undefined)) as Entry;

/** An entry with the ids of both; groups and comment of the newer one, where it has any. */
const joined = (before: Entry, entry: Entry): Entry =>
  filled({
    username: entry.username,
    groups: entry.groups ?? before.groups,
    slack: union(before.slack, entry.slack),
    github: union(before.github, entry.github),
    email: union(before.email, entry.email),
    comment: entry.comment ?? before.comment,
  });

/** Adds ids to the person of that user name, who may be new. */
export function withEntry(identities: Identities, entry: Entry): Edited {
  const problem = notMappable(entry);
  if (problem) return { refusal: problem };
  const people = identities.people ?? [];
  const others = people.filter(({ username }) => username !== entry.username);
  const keys = new Set(keysOf(entry));
  for (const other of others) {
    const taken = keysOf(other).find((key) => keys.has(key));
    if (taken) return { refusal: `${taken} is ${other.username} already; take it from there first` };
  }
  const before = people.find(({ username }) => username === entry.username);
  const next = joined(before ?? { username: entry.username }, entry);
  return { identities: { ...identities, people: [...others, next].sort(byName) } };
}

const byName = (a: Entry, b: Entry): number => (a.username < b.username ? -1 : 1);

/** Takes ids from a person, or the whole person where none is named. */
export function withoutEntry(identities: Identities, { username, ...ids }: Entry): Edited {
  const people = identities.people ?? [];
  const entry = people.find((one) => one.username === username);
  if (!entry) return { refusal: `there is no ${username} in the identities` };
  const gone = new Set(keysOf({ username, ...ids }));
  const lacking = [...gone].find((key) => !keysOf(entry).includes(key));
  if (lacking) return { refusal: `${lacking} is not ${username}` };
  const others = people.filter((one) => one !== entry);
  const left = without(entry, gone);
  return {
    identities: { ...identities, people: gone.size && keysOf(left).length ? [...others, left].sort(byName) : others },
  };
}

function without({ slack = [], github = [], email = [], ...rest }: Entry, gone: ReadonlySet<string>): Entry {
  return filled({
    ...rest,
    slack: slack.filter((id) => !gone.has(`slack:${id}`)),
    github: github.filter((id) => !gone.has(`github:${id}`)),
    email: email.filter((id) => !gone.has(`email:${id}`)),
  });
}
