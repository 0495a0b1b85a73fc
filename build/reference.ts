/** The reference page of the resources, made from the same schemas as the CRDs. */
import { API_VERSION } from '../lib/api/meta.ts';
import { type Definition, objectSchema } from './crds.ts';
import type { JsonSchema } from './structural-schema.ts';

interface Row {
  path: string;
  type: string;
  notes: string;
  description: string;
}

function rows(schema: JsonSchema, path: string, required: boolean): Row[] {
  const own: Row = {
    path,
    type: typeOf(schema),
    notes: notesOf(schema, required),
    description: schema.description ?? '',
  };
  return [own, ...fieldsOf(schema, path)];
}

function fieldsOf(schema: JsonSchema, path: string): Row[] {
  const items = schema.items?.properties ? fieldsOf(schema.items, `${path}[]`) : [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, value]) =>
    rows(value, `${path}.${key}`, schema.required?.includes(key) ?? false),
  );
  return [...own, ...items];
}

function typeOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.join(' \\| ');
  if (schema.type === 'array')
    return `list of ${schema.items?.properties ? 'object' : schema.items && typeOf(schema.items)}`;
  if (typeof schema.additionalProperties === 'object') return `map of ${typeOf(schema.additionalProperties)}`;
  return schema.format === 'date-time' ? 'timestamp' : (schema.type ?? 'any');
}

function notesOf(schema: JsonSchema, required: boolean): string {
  const simple = schema.default !== undefined && typeof schema.default !== 'object';
  return [
    required && 'required',
    simple && `default \`${schema.default}\``,
    schema.maxLength && `≤ ${schema.maxLength} characters`,
    schema.maxItems && `≤ ${schema.maxItems} items`,
  ]
    .filter(Boolean)
    .join('; ');
}

function rulesOf(schema: JsonSchema, path: string): string[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ message }) => `- \`${path || 'object'}\`: ${message}`);
  return [
    ...own,
    ...Object.entries(schema.properties ?? {}).flatMap(([key, value]) => rulesOf(value, path ? `${path}.${key}` : key)),
  ];
}

function section(definition: Definition): string {
  const schema = objectSchema(definition);
  const table = (part: 'spec' | 'status') =>
    fieldsOf(schema.properties?.[part] ?? {}, part)
      .map((row) => `| \`${row.path}\` | ${row.type} | ${row.notes} | ${row.description} |`)
      .join('\n');
  const head = '| field | type | | meaning |\n| --- | --- | --- | --- |\n';
  return `## ${definition.kind}

${definition.description} Short name \`${definition.shortNames.join('`, `')}\`, category \`tiny\`.

${head}${table('spec')}

Set by functions and by the agent's side, never by a client:

${head}${table('status')}

Refused at admission:

${rulesOf(schema, '').join('\n')}
`;
}

export const referencePage = (definitions: Definition[]): string => `# The resources

<!-- Generated from lib/api by \`npm run generate\`; edit the schemas, not this page. -->

Group and version: \`${API_VERSION}\`. Both kinds are namespaced and have a status subresource. \`kubectl explain session.spec\`
says the same on a cluster.

${definitions.map(section).join('\n')}`;
