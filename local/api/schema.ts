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

/** Where CustomResourceDefinitions are stored. */
export const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';

/** The part of an OpenAPI schema that is read here. */
export interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  default?: unknown;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-list-map-keys'?: string[];
}

type Json = Record<string, unknown>;

const whole = (spec: z.ZodType, status: z.ZodType): z.ZodType<Json> =>
  z.looseObject({ spec, status: status.optional() });

const strings = z.record(z.string(), z.string());
const column = z.looseObject({
  name: z.string(),
  type: z.string(),
  jsonPath: z.string(),
  description: z.string().default(''),
  priority: z.int().default(0),
});
const names = z.array(z.string());
const crdSpec = z.looseObject({
  group: z.string(),
  scope: z.enum(['Namespaced', 'Cluster']),
  names: z.looseObject({
    ...{ kind: z.string(), plural: z.string(), singular: z.string().optional() },
    ...{ shortNames: names.default([]), categories: names.default([]) },
  }),
  versions: z
    .array(
      z.looseObject({
        ...{ name: z.string(), served: z.boolean() },
        schema: z.looseObject({ openAPIV3Schema: z.looseObject({}) }).optional(),
        subresources: z.looseObject({ status: z.looseObject({}).optional() }).optional(),
        additionalPrinterColumns: z.array(column).optional(),
        selectableFields: z.array(z.looseObject({ jsonPath: z.string() })).default([]),
      }),
    )
    .min(1),
});
export type CrdSpec = z.infer<typeof crdSpec>;
/** A printer column of a CustomResourceDefinition. */
export type Column = z.input<typeof column>;

const podSpec = z.looseObject({ containers: z.array(z.looseObject({ name: z.string() })).min(1) });
const deploymentSpec = z.looseObject({
  selector: z.looseObject({ matchLabels: strings }),
  template: z.looseObject({ metadata: z.looseObject({ labels: strings }), spec: podSpec }),
});
const claimSpec = z.looseObject({ accessModes: z.array(z.string()).min(1), resources: z.looseObject({}) });
const anything = z.unknown();

/** Tiny's kinds, whole; of others what the code here relies on. */
const KINDS = new Map<string, { schema: z.ZodType<Json>; rules: RulesAt[] }>([
  ['sessions.tiny.dev', { schema: whole(sessionSpec, sessionStatus), rules: sessionRules }],
  ['questions.tiny.dev', { schema: whole(questionSpec, questionStatus), rules: questionRules }],
  [CRDS, { schema: whole(crdSpec, anything), rules: [] }],
  ['pods', { schema: whole(podSpec, anything), rules: [] }],
  ['deployments.apps', { schema: whole(deploymentSpec, anything), rules: [] }],
  ['persistentvolumeclaims', { schema: whole(claimSpec, anything), rules: [] }],
  ['secrets', { schema: z.looseObject({ data: strings.nullish(), stringData: strings.nullish() }), rules: [] }],
  ['configmaps', { schema: z.looseObject({ data: strings.nullish() }), rules: [] }],
]);

const LISTS_AND_MAPS = z.looseObject({
  name: z.string().optional(),
  generateName: z.string().optional(),
  labels: strings.optional(),
  annotations: strings.optional(),
  finalizers: z.array(z.string()).optional(),
  ownerReferences: z.array(z.looseObject({ uid: z.string(), name: z.string(), kind: z.string() })).optional(),
  managedFields: z.array(z.looseObject({})).optional(),
});

/** Why this can't be an object's metadata, if it can't. */
export function metadataProblem(metadata: unknown): string | undefined {
  const issue = LISTS_AND_MAPS.safeParse(metadata).error?.issues[0];
  return issue && `${pathOf(['metadata', ...issue.path])}: ${issue.message}`;
}

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
  const { input } = issue;
  const field = pathOf(issue.path);
  if (input === undefined) return cause.required(field);
  if (issue.code === 'invalid_value') return cause.unsupported(field, input, issue.values);
  if (issue.code === 'invalid_type') return cause.type(field, typeName(input), issue.expected);
  if (issue.code === 'too_big' && issue.origin === 'string') return cause.tooLong(field, issue.maximum);
  return cause.invalid(field, typeof input === 'object' ? undefined : input, issue.message);
}

function typeName(value: unknown): string {
  if (value === null || Array.isArray(value)) return value ? 'array' : 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
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
    if (item === null && typeof of === 'object' && of.default !== undefined) return [];
    if (of) return [[key, pruned(item, of, { path: join(path, key), found })]];
    found.unknown.push(join(path, key));
    return [];
  });
  return Object.fromEntries(known);
}

function duplicates(value: unknown[], schema: Schema, path: string): Cause[] {
  const { 'x-kubernetes-list-map-keys': keys, 'x-kubernetes-list-type': type } = schema;
  if (!keys && type !== 'set') return [];
  const keyOf = (item: unknown) => (keys ? Object.fromEntries(keys.map((key) => [key, (item as Json)?.[key]])) : item);
  const texts = value.map((item) => JSON.stringify(keyOf(item)));
  return texts.flatMap((text, at) => (texts.indexOf(text) < at ? [cause.duplicate(`${path}[${at}]`, text)] : []));
}
