/**
 * The Session that is asked for from outside. Its name follows from what asks for it, so that one message, delivered however
 * often and in whatever burst, is one Session. Pure.
 */
import { createHash } from 'node:crypto';
import { API_VERSION, type KubeObject, type Person, type Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { asImpersonated } from '../identity/impersonation-headers.ts';
import { samePerson } from '../identity/person.ts';

/** On a Session that was asked for from outside: the digest of what asked for it. */
export const ASKED_BY = 'tiny.dev/asked-by';

export interface Asking {
  namespace: string;
  /** What asks, and nothing else does: a source and its own key. */
  key: string;
  /** What its name begins with; as little may it change while the key stays. Default: the prompt's first words. */
  title?: string;
  prompt: string;
  /** Fields of the spec that the project gives. */
  defaults: Record<string, unknown>;
  person: Person;
}

export interface AskedSession extends KubeObject {
  spec: Record<string, unknown> & { prompt: string; requester: Person };
}

/** Of a Session's 40 characters, those before the digest and its hyphen. */
const WORDS = 29;
const DIGEST = 10;

/** The first words of a prompt as a part of a name; empty where it has none that can be. */
function words(prompt: string): string {
  const line =
    prompt
      .split('\n')[0]
      ?.toLowerCase()
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '') ?? '';
  const joined = line.replace(/[^a-z0-9]+/g, '-').replace(/^-+/, '');
  const fits = joined.length <= WORDS ? joined : joined.slice(0, WORDS).replace(/-[^-]*$/, '');
  return fits.replace(/-+$/, '');
}

const digestOf = (key: string) => createHash('sha256').update(key).digest('hex');

export function makeAskedSession({ namespace, key, title, prompt, defaults, person }: Asking): AskedSession {
  const digest = digestOf(key);
  const name = [words(title ?? prompt) || 'session', digest.slice(0, DIGEST)].join('-');
  return {
    apiVersion: API_VERSION,
    kind: 'Session',
    metadata: { name, namespace, annotations: { [ASKED_BY]: digest } },
    spec: { ...defaults, prompt, requester: asImpersonated(person) },
  };
}

/** Whether a Session that is there already is the one that was asked for, by the same person. The annotation alone proves nothing. */
export const isAsked = (asked: AskedSession, live: Stored<Session>): boolean =>
  live.metadata.annotations?.[ASKED_BY] === asked.metadata.annotations?.[ASKED_BY] &&
  live.spec.prompt === asked.spec.prompt &&
  samePerson(live.spec.requester, asked.spec.requester);
