/**
 * Who may be acted for. Functions act only as people and as CI jobs' service accounts: an identity of the cluster
 * itself (`system:node:…`, `system:kube-scheduler`) is never impersonated, nor is any `system:` group; what
 * `system:masters` may do can therefore not be done by a function on someone's behalf.
 */
import type { Person } from '../api/meta.ts';

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** The service account that a user name stands for. */
export function serviceAccountOf(username: string): { namespace: string; name: string } | undefined {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(username) ?? [];
  return namespace && name ? { namespace, name } : undefined;
}

export const isPerson = (person: Person): boolean =>
  !person.username.startsWith('system:') || serviceAccountOf(person.username) !== undefined;

/** Whether two stamps name the same person; groups and extra may have changed since. */
export const samePerson = (a: Person | undefined, b: Person | undefined): boolean =>
  a?.username === b?.username && (a?.uid ?? '') === (b?.uid ?? '');

/** What nobody is stamped on, and what to do about it once the admission policies are there. */
const UNSTAMPED = {
  Session: { did: 'asked for', next: 'run `tiny touch`' },
  Question: { did: 'answered', next: 'have the agent ask again' },
};

const unstamped = ({ did, next }: { did: string; next: string }): string =>
  `nobody is stamped as having ${did} this: the admission policies are missing or were then; install them and ${next}`;

/** Why a function can't act as `person`, who asked for a Session or answered a Question; `undefined` where it can. */
export function notAPerson(
  person: Person | undefined,
  kind: keyof typeof UNSTAMPED = 'Session',
): { reason: string; message: string; passes: false } | undefined {
  if (!person) return { reason: 'NoRequester', message: unstamped(UNSTAMPED[kind]), passes: false };
  if (isPerson(person)) return undefined;
  return {
    reason: 'RequesterNotAPerson',
    message: `${person.username} is an identity of the cluster, and nothing is done in its name; ask again as a user or with a service account of the project`,
    passes: false,
  };
}

/** A hint for a refusal of someone whose rights may have come from a group that is never impersonated. */
export const mastersHint = (person: Person): string =>
  person.groups?.includes('system:masters')
    ? ". Rights that come from system:masters are never used on anyone's behalf: bind a role to the user, or act with a user that has one"
    : '';
