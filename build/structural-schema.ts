/**
 * Turns a zod schema into the structural schema that a CRD takes: no `propertyNames`, no bounds that only say
 * "a JavaScript integer", CEL rules attached where they stand in the rule table.
 */
import { z } from 'zod';
import type { RulesAt } from '../lib/api/rule.ts';

export interface JsonSchema {
  type?: string;
  description?: string;
  format?: string;
  pattern?: string;
  default?: unknown;
  enum?: unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  required?: string[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  'x-kubernetes-validations'?: { rule: string; message: string; optionalOldSelf?: boolean }[];
  [key: string]: unknown;
}

/** The structural schema of what a client may send. */
export const structuralSchema = (schema: z.ZodType): JsonSchema =>
  tidy(z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', reused: 'inline' }) as JsonSchema);

function tidy(schema: JsonSchema): JsonSchema {
  const { propertyNames: _names, $schema: _schema, properties, items, additionalProperties, ...rest } = schema;
  return {
    ...withoutMachineBounds(rest),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, tidy(value)])),
    }),
    ...(items && { items: tidy(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: tidy(additionalProperties) }),
  };
}

function withoutMachineBounds(schema: JsonSchema): JsonSchema {
  const { minimum, maximum, pattern, ...rest } = schema;
  return {
    ...rest,
    ...(minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && { maximum }),
    ...(pattern !== undefined && rest.format !== 'date-time' && { pattern }),
    ...(rest.type === 'integer' && { format: 'int64' }),
  };
}

/** Attaches each rule at its path. Throws where a path names nothing. */
export function attachRules(schema: JsonSchema, table: readonly RulesAt[]): void {
  for (const { path, rules } of table) {
    const at = path.split('.').filter(Boolean).reduce<JsonSchema | undefined>(step, schema);
    if (!at) throw new Error(`no schema at ${path}`);
    const validations = rules.map(({ cel, message, optionalOldSelf }) => ({
      rule: cel,
      message,
      ...(optionalOldSelf && { optionalOldSelf }),
    }));
    at['x-kubernetes-validations'] = [...(at['x-kubernetes-validations'] ?? []), ...validations];
  }
}

function step(node: JsonSchema | undefined, segment: string): JsonSchema | undefined {
  const [key = '', items] = segment.split('[');
  const value = node?.properties?.[key];
  return items === undefined ? value : value?.items;
}
