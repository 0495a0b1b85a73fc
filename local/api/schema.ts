/**
 * The schemas of tiny's own kinds at work. What the CustomResourceDefinition doesn't know is dropped and told; the
 * zod schemas that it was generated from fill in defaults and judge; the CEL rules are asked as their predicates.
 * The kinds of other definitions are taken as they come, but for what their schema doesn't know.
 */
import { z } from 'zod';
import { questionSpec, questionStatus } from '../../lib/api/question.ts';
import { questionRules } from '../../lib/api/question-rules.ts';
import { violations } from '../../lib/api/rule.ts';
import { sessionSpec, sessionStatus } from '../../lib/api/session.ts';
import { sessionRules } from '../../lib/api/session-rules.ts';
import type { Stored } from '../types.ts';
import { type Cause, cause } from './errors.ts';

/** The part of an OpenAPI schema that is read here. */
export interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-list-map-keys'?: string[];
}

type Json = Record<string, unknown>;

const whole = (spec: z.ZodType, status: z.ZodType): z.ZodType<Json> =>
  z.looseObject({ spec, status: status.optional() });

const KINDS = new Map([
  ['sessions.tiny.dev', { schema: whole(sessionSpec, sessionStatus), rules: sessionRules }],
  ['questions.tiny.dev', { schema: whole(questionSpec, questionStatus), rules: questionRules }],
]);

/** The object with defaults, and where it breaks its schema; `key` is as in `sessions.tiny.dev`. */
export function defaulted(key: string, object: Stored): { object: Stored; causes: Cause[] } {
  const parsed = KINDS.get(key)?.schema.safeParse(object, { reportInput: true });
  if (!parsed) return { object, causes: [] };
  return parsed.success
    ? { object: parsed.data as Stored, causes: [] }
    : { object, causes: parsed.error.issues.map(causeOf) };
}

/** Which rules of its kind an object breaks that keeps to its schema. */
export function ruleCauses(key: string, object: Stored, old?: Stored): Cause[] {
  const at = (path: string) => path.split('.').reduce<unknown>((value, field) => (value as Json)[field], object);
  return violations(KINDS.get(key)?.rules ?? [], object, old).map(({ path, message }) => {
    const value = path === '' ? undefined : at(path);
    return cause.invalid(path || '<nil>', typeof value === 'object' ? undefined : value, message);
  });
}

function causeOf(issue: z.core.$ZodIssue): Cause {
  const { input, path } = issue;
  const field = path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : join(text, String(key))),
    '',
  );
  if (input === undefined) return cause.required(field);
  if (issue.code === 'invalid_value') return cause.unsupported(field, input, issue.values);
  if (issue.code === 'too_big' && issue.origin === 'string') return cause.tooLong(field, issue.maximum);
  return cause.invalid(field, typeof input === 'object' ? undefined : input, issue.message);
}

const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const join = (path: string, key: string): string => (path ? `${path}.${key}` : key);

/** What pruning finds: paths that the schema doesn't know, and entries of a keyed list that are there twice. */
export interface Found {
  unknown: string[];
  causes: Cause[];
}

/** `value` without what the schema doesn't know. */
export function pruned(
  value: unknown,
  schema: Schema | true,
  { path, found }: { path: string; found: Found },
): unknown {
  if (schema === true) return value;
  if (Array.isArray(value)) {
    found.causes.push(...duplicates(value, schema, path));
    return value.map((item, index) => pruned(item, schema.items ?? true, { path: `${path}[${index}]`, found }));
  }
  if (!isMap(value)) return value;
  const rest = schema.additionalProperties || schema['x-kubernetes-preserve-unknown-fields'];
  const known = Object.entries(value).flatMap(([key, item]) => {
    const of = schema.properties?.[key] ?? rest;
    if (of) return [[key, pruned(item, of, { path: join(path, key), found })]];
    found.unknown.push(join(path, key));
    return [];
  });
  return Object.fromEntries(known);
}

function duplicates(value: unknown[], { 'x-kubernetes-list-map-keys': keys }: Schema, path: string): Cause[] {
  if (!keys) return [];
  const texts = value.map((item) =>
    JSON.stringify(Object.fromEntries(keys.map((key) => [key, (item as Json)?.[key]]))),
  );
  return texts.flatMap((text, at) => (texts.indexOf(text) < at ? [cause.duplicate(`${path}[${at}]`, text)] : []));
}
