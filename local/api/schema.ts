/**
 * The schemas of tiny's own kinds at work. What the CustomResourceDefinition doesn't know is dropped and told; the
 * zod schemas that it was generated from fill in defaults and judge; the CEL rules are asked as their predicates.
 * The kinds of other definitions are taken as they come, but for what their schema doesn't know.
 */
import { z } from 'zod';
import { questionSpec, questionStatus } from '../../lib/api/question.ts';
import { questionRules } from '../../lib/api/question-rules.ts';
import { type RulesAt, violations } from '../../lib/api/rule.ts';
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

const KINDS: Record<string, { schema: z.ZodType<Json>; rules: RulesAt[] }> = {
  'sessions.tiny.dev': { schema: whole(sessionSpec, sessionStatus), rules: sessionRules },
  'questions.tiny.dev': { schema: whole(questionSpec, questionStatus), rules: questionRules },
};

function whole(spec: z.ZodType, status: z.ZodType): z.ZodType<Json> {
  return z.looseObject({ spec, status: status.optional() });
}

/** The object with defaults, and everything that is wrong with it; `key` is as in `sessions.tiny.dev`. */
export function judged(key: string, object: Stored, old?: Stored): { object: Stored; causes: Cause[] } {
  const kind = KINDS[key];
  if (!kind) return { object, causes: [] };
  const parsed = kind.schema.safeParse(object, { reportInput: true });
  if (!parsed.success) return { object, causes: parsed.error.issues.map(causeOf) };
  const typeOf = (path: string) => (path === 'spec' || path === '' || path === 'spec.answer' ? 'object' : 'string');
  const broken = violations(kind.rules, parsed.data, old);
  const causes = broken.map(({ path, message }) => cause.invalid(path || '<nil>', typeOf(path), message));
  return { object: parsed.data as Stored, causes };
}

function causeOf(issue: z.core.$ZodIssue): Cause {
  const field = pathOf(issue.path);
  const { input } = issue;
  if (input === undefined) return cause.required(field);
  if (issue.code === 'invalid_value') {
    const supported = issue.values.map((each) => JSON.stringify(each)).join(', ');
    const message = `Unsupported value: ${JSON.stringify(input)}: supported values: ${supported}`;
    return { field, reason: 'FieldValueNotSupported', message };
  }
  if (issue.code === 'too_big' && issue.origin === 'string') return cause.tooLong(field, Number(issue.maximum));
  const value = typeof input === 'object' ? (Array.isArray(input) ? 'array' : 'object') : input;
  return cause.invalid(field, value, issue.message);
}

const pathOf = (path: PropertyKey[]): string =>
  path.reduce<string>((text, key) => (typeof key === 'number' ? `${text}[${key}]` : join(text, String(key))), '');

const isMap = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const join = (path: string, key: string): string => (path ? `${path}.${key}` : key);

/** What pruning finds: paths that the schema doesn't know, and entries of a keyed list that are there twice. */
export interface Found {
  unknown: string[];
  causes: Cause[];
}

/** `value` without what the schema doesn't know. */
export function pruned(value: unknown, schema: Schema | undefined, where: { path: string; found: Found }): unknown {
  if (!schema) return value;
  if (Array.isArray(value)) {
    where.found.causes.push(...duplicates(value, schema, where.path));
    return value.map((item, at) => pruned(item, schema.items, { ...where, path: `${where.path}[${at}]` }));
  }
  if (!isMap(value)) return value;
  const known = Object.entries(value).flatMap(([key, item]) => {
    const path = join(where.path, key);
    const of = propertySchema(schema, key);
    if (of) return [[key, pruned(item, of === true ? undefined : of, { ...where, path })] as const];
    where.found.unknown.push(path);
    return [];
  });
  return Object.fromEntries(known);
}

/** The schema of one property, `true` for any value, `undefined` where the property is unknown. */
function propertySchema(schema: Schema, key: string): Schema | true | undefined {
  const own = schema.properties?.[key] ?? schema.additionalProperties;
  return own || schema['x-kubernetes-preserve-unknown-fields'] || undefined;
}

function duplicates(value: unknown[], { 'x-kubernetes-list-map-keys': keys }: Schema, path: string): Cause[] {
  const seen = new Set<string>();
  return value.flatMap((item, index) => {
    const text = JSON.stringify(Object.fromEntries((keys ?? []).map((key) => [key, (item as Json | null)?.[key]])));
    if (!keys || !seen.has(text)) return seen.add(text) && [];
    return [{ field: `${path}[${index}]`, reason: 'FieldValueDuplicate', message: `Duplicate value: ${text}` }];
  });
}
