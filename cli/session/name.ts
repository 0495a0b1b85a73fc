/** Names of Sessions: as a person may type one, and made up from a prompt where none was given. Pure. */
import { MAX_NAME_LENGTH } from '../limits.ts';

/** As Kubernetes makes its random suffixes: no vowels, no look-alikes. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX = 5;
const WORDS = 4;

/** `bytes` as a suffix like `x7k2p`. */
export const suffix = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** `fix-flaky-login-test-x7k2p`: the first words of the prompt that a name can hold, and five random characters. */
export function makeName(prompt: string, bytes: Uint8Array): string {
  const words = prompt
    .slice(0, 400)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const slug = (words ?? ['session'])
    .slice(0, WORDS)
    .join('-')
    .slice(0, MAX_NAME_LENGTH - SUFFIX - 1)
    .replace(/-+$/, '');
  return `${slug}-${suffix(bytes.subarray(0, SUFFIX))}`;
}

/** `name` and, where it was given, the beginning of the uid that the object must have: `q2@1a2b3c4d`. */
export function splitName(given: string): { name: string; uid?: string } {
  const [name = '', ...uid] = bareName(given).split('@');
  return uid.length ? { name, uid: uid.join('@') } : { name };
}

/** The bare name of `session.tiny.dev/x` or `question/x`, as `-o name` prints them and people paste them. */
export const bareName = (given: string): string => given.replace(/^(sessions?|questions?)(\.tiny\.dev)?\//, '');
