/**
 * The schemas of tiny's own kinds at work. What the CustomResourceDefinition doesn't know is dropped and told; the
 * zod schemas that it was generated from fill in defaults and judge; the CEL rules are asked as their predicates. Of
 * other kinds only what the stand-in relies on is checked.
 */
import { z } from 'zod';
import { questionSpec, questionStatus } from '../../lib/api/question.ts';
import { questionRules } from '../../lib/api/question-rules.ts';
import { type RulesAt, violations } from '../../lib/api/rule.ts';
import { sessionSpec, sessionStatus } from '../../lib/api/session.ts';
import { sessionRules } from '../../lib/api/session-rules.ts';
import { isMap } from '../apply/merge.ts';
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
  'x-kubernetes-list-map-keys'?: string[];
}

const { looseObject, array, string, unknown } = z;
const strings = z.record(string(), string());
const column = looseObject({ name: string(), type: string(), jsonPath: string() });
const crdSpec = looseObject({
  ...{ group: string(), scope: string() },
  names: looseObject({ kind: string(), plural: string(), singular: string().optional() }),
  versions: array(
    looseObject({
      ...{ name: string(), schema: looseObject({ openAPIV3Schema: looseObject({}) }) },
      subresources: looseObject({ status: unknown() }).optional(),
      additionalPrinterColumns: array(column).optional(),
      selectableFields: array(looseObject({ jsonPath: string() })).optional(),
    }),
  ),
});
export type CrdSpec = z.infer<typeof crdSpec>;
/** A printer column of a CustomResourceDefinition. */
export interface Column {
  name: string;
  type: string;
  jsonPath: string;
  priority?: number;
}

const podSpec = looseObject({ containers: array(looseObject({ name: string() })).min(1) });
const deploymentSpec = looseObject({
  selector: looseObject({ matchLabels: strings }),
  template: looseObject({ metadata: looseObject({ labels: strings }), spec: podSpec }),
});

/** Spec, status and cross-field rules, by where a kind is stored. */
const KINDS: Record<string, { spec: z.ZodType; status?: z.ZodType; rules?: RulesAt[] } | undefined> = {
  'sessions.tiny.dev': { spec: sessionSpec, status: sessionStatus, rules: sessionRules },
  'questions.tiny.dev': { spec: questionSpec, status: questionStatus, rules: questionRules },
  [CRDS]: { spec: crdSpec },
  pods: { spec: podSpec },
  'deployments.apps': { spec: deploymentSpec },
  persistentvolumeclaims: { spec: looseObject({}) },
};

const metadata = looseObject({
  ...{ name: string().optional() },
  ...{ labels: strings.optional(), annotations: strings.optional(), finalizers: array(string()).optional() },
  ownerReferences: array(looseObject({ uid: string() })).optional(),
  managedFields: array(looseObject({})).optional(),
});

/** Why this can't be an object's metadata, if it can't. */
export function metadataProblem(given: unknown): string | undefined {
  const issue = metadata.safeParse(given).error?.issues[0];
  return issue && `${pathOf(['metadata', ...issue.path])}: ${issue.message}`;
}

/** The object with defaults, and where it breaks its schema; `key` is as in `sessions.tiny.dev`. */
export function defaulted(key: string, object: Stored): { object: Stored; causes: Cause[] } {
  const kind = KINDS[key];
  if (!kind) return { object, causes: [] };
  const schema = looseObject({ spec: kind.spec, status: (kind.status ?? unknown()).optional() });
  const { data, error } = schema.safeParse(object, { reportInput: true });
  return { object: (data ?? object) as Stored, causes: error?.issues.map(causeOf) ?? [] };
}

/** Which rules of its kind an object breaks that keeps to its schema. */
export function ruleCauses(key: string, object: Stored, old?: Stored): Cause[] {
  const broken = violations(KINDS[key]?.rules ?? [], object, old);
  return broken.map(({ path, message }) => cause.invalid(path || '<nil>', {}, message));
}

function causeOf(issue: z.core.$ZodIssue): Cause {
  const { input } = issue;
  const field = pathOf(issue.path);
  if (input === undefined) return cause.required(field);
  if (issue.code === 'invalid_value') return cause.unsupported(field, input, issue.values);
  if (issue.code === 'invalid_type') return cause.type(field, typeName(input), issue.expected);
  if (issue.code === 'too_big' && issue.origin === 'string') return cause.tooLong(field, issue.maximum);
  return cause.invalid(field, input, issue.message);
}

function typeName(value: unknown): string {
  if (value === null || Array.isArray(value)) return value ? 'array' : 'null';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

const pathOf = (path: PropertyKey[]): string =>
  path.reduce<string>((text, key) => (typeof key === 'number' ? `${text}[${key}]` : join(text, String(key))), '');

const join = (path: string, key: string): string => (path ? `${path}.${key}` : key);

/** `value` without what the schema doesn't know; `tell` is told the path of each such field. */
export function pruned(value: unknown, schema: Schema | true, tell: (path: string) => void): unknown {
  if (schema === true) return value;
  if (Array.isArray(value)) {
    return value.map((item, at) => pruned(item, schema.items ?? true, (path) => tell(`[${at}]${path}`)));
  }
  if (!isMap(value)) return value;
  const known = Object.entries(value).flatMap(([key, item]) => {
    const of = schema.properties?.[key] ?? schema.additionalProperties;
    if (!of) tell(`.${key}`);
    const isUnset = item === null && typeof of === 'object' && of.default !== undefined;
    return of && !isUnset ? [[key, pruned(item, of, (path) => tell(`.${key}${path}`))]] : [];
  });
  return Object.fromEntries(known);
}
