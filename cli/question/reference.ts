/**
 * How a Question is named in what is printed: with the first of its uid, so that a command that was copied answers
 * the Question that was read, and not one that was made anew under the same name. Pure.
 */
import type { KubeObject } from '../../lib/api/meta.ts';

/** Characters of the uid that are printed: 32 bits, and a uid can't be chosen. */
const SHOWN = 8;

/** `q2@1a2b3c4d`. */
export const reference = ({ metadata: { name, uid } }: KubeObject): string =>
  uid ? `${name}@${uid.slice(0, SHOWN)}` : name;
