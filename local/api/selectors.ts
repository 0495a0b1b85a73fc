/** Label and field selectors, as lists and watches take them. */
import type { Stored } from '../types.ts';
import { badRequest } from './errors.ts';
import { first } from './jsonpath.ts';

type Predicate = (object: Stored) => boolean;

const all =
  (tests: Predicate[]): Predicate =>
  (object) =>
    tests.every((test) => test(object));

/** `a`, `!a`, `a=b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`. */
const REQUIREMENT = /^(!?)\s*([\w./-]+)\s*(?:(==?|!=)\s*([\w.-]*)|(in|notin)\s*\(([^)]*)\))?$/;

/** Whether an object matches `a=b,c!=d,e in (f,g),h,!i`. Throws 400 where that can't be read. */
export const labelSelector = (text: string): Predicate => all((text.match(/[^,(]+(\([^)]*\))?/g) ?? []).map(labelTest));

function labelTest(text: string): Predicate {
  const [, not, key, sign, value = '', word, set = value] = REQUIREMENT.exec(text.trim()) ?? [];
  if (!key) throw badRequest(`unable to parse requirement: ${JSON.stringify(text)}`);
  const values = set.split(',').map((each) => each.trim());
  const wanted = !not && sign !== '!=' && word !== 'notin';
  const isAny = !sign && !word;
  return ({ metadata: { labels = {} } }) => (key in labels && (isAny || values.includes(labels[key] ?? ''))) === wanted;
}

/** Whether an object matches `metadata.name=x,status.phase!=Failed`. `fields` are those that may be named. */
export const fieldSelector = (text: string, fields: readonly string[]): Predicate =>
  all(
    text
      .split(',')
      .filter(Boolean)
      .map((part) => fieldTest(part, fields)),
  );

function fieldTest(text: string, fields: readonly string[]): Predicate {
  const [, field = '', sign, value = ''] = /^([^=!]+)(==?|!=)(.*)$/.exec(text) ?? [];
  if (!fields.includes(field)) throw badRequest(`field label not supported: ${field || text}`);
  return (object) => (String(first(object, `.${field}`) ?? '') === value) === (sign !== '!=');
}

/** The name that a field selector asks for, if it asks for one: authorizers see it. */
export const selectedName = (text: string | null): string =>
  /(?:^|,)metadata\.name==?([^,]+)/.exec(text ?? '')?.[1] ?? '';
