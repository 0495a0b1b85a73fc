/** Label and field selectors, as lists and watches take them. */
import type { Stored } from '../types.ts';
import { badRequest } from './errors.ts';
import { first } from './jsonpath.ts';

type Predicate = (object: Stored) => boolean;

const LABEL_KEY = /^([a-z0-9A-Z]([-a-z0-9A-Z._]*[a-z0-9A-Z])?\/)?[a-z0-9A-Z]([-a-z0-9A-Z._]*[a-z0-9A-Z])?$/;

/** Whether an object matches `a=b,c!=d,e in (f,g),h,!i`. Throws 400 where that can't be read. */
export function labelSelector(text: string): Predicate {
  const parts = text.match(/[^,(]+(\([^)]*\))?/g) ?? [];
  const tests = parts.map((part) => requirement(part.trim()));
  return ({ metadata: { labels = {} } }) => tests.every((test) => test(labels));
}

type LabelTest = (labels: Record<string, string>) => boolean;

function requirement(text: string): LabelTest {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(text);
  if (set) {
    const values = (set[3] ?? '').split(',').map((value) => value.trim());
    return among(checked(set[1]), values, set[2] === 'in');
  }
  const equality = /^([^=!\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(text);
  if (equality) return among(checked(equality[1]), [equality[3] ?? ''], equality[2] !== '!=');
  const absent = text.startsWith('!');
  const key = checked(absent ? text.slice(1).trim() : text);
  return (labels) => key in labels !== absent;
}

const among =
  (key: string, values: string[], wanted: boolean): LabelTest =>
  (labels) =>
    (key in labels && values.includes(labels[key] ?? '')) === wanted;

function checked(key = ''): string {
  if (LABEL_KEY.test(key)) return key;
  throw badRequest(`unable to parse requirement: <nil>: Invalid value: ${JSON.stringify(key)}: must be a label key`);
}

/** Whether an object matches `metadata.name=x,status.phase!=Failed`. `fields` are those that may be named. */
export function fieldSelector(text: string, fields: readonly string[]): Predicate {
  const tests = text
    .split(',')
    .filter(Boolean)
    .map((part) => {
      const [, field = '', operator, value = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(part) ?? [];
      if (!operator) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
      if (!fields.includes(field)) throw badRequest(`field label not supported: ${field}`);
      return (object: Stored) => (String(first(object, `.${field}`) ?? '') === value) === (operator !== '!=');
    });
  return (object) => tests.every((test) => test(object));
}

/** The name that a field selector asks for, if it asks for one: authorizers see it. */
export const selectedName = (text: string | null): string =>
  /(?:^|,)metadata\.name==?([^,]+)/.exec(text ?? '')?.[1] ?? '';
