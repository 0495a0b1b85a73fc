import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEFINITIONS, objectSchema } from '../../../build/crds.ts';
import { attachRules, type JsonSchema } from '../../../build/structural-schema.ts';
import { questionRules } from '../../../lib/api/question-rules.ts';
import { sessionRules } from '../../../lib/api/session-rules.ts';

type Node = [path: string, schema: JsonSchema];

const SERVER_SIDE = ['apiVersion', 'kind', 'metadata'];

function nodes(schema: JsonSchema, path: string): Node[] {
  const { additionalProperties: values, items, properties = {} } = schema;
  return [
    [path, schema],
    ...Object.entries(properties).flatMap(([key, value]) => nodes(value, `${path}.${key}`)),
    ...(items ? nodes(items, `${path}[]`) : []),
    ...(typeof values === 'object' ? nodes(values, `${path}{}`) : []),
  ];
}

const ALL: Node[] = DEFINITIONS.flatMap((definition) => {
  const { properties = {} } = objectSchema(definition);
  const own = Object.entries(properties).filter(([key]) => !SERVER_SIDE.includes(key));
  return own.flatMap(([key, schema]) => nodes(schema, `${definition.kind}.${key}`));
});

const where = (wrong: (schema: JsonSchema) => boolean) =>
  ALL.filter(([, schema]) => wrong(schema)).map(([path]) => path);

test('crds/ and docs/resources.md are what the schemas say', () => {
  const { status, stderr } = spawnSync(process.execPath, ['build/generate.ts', '--check'], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

test('each string has a limit', () => {
  expect(where((s) => s.type === 'string' && s.maxLength === undefined && !s.enum)).toEqual([]);
});

test('each list and map has a limit', () => {
  expect(where((s) => s.type === 'array' && s.maxItems === undefined)).toEqual([]);
  expect(where((s) => typeof s.additionalProperties === 'object' && s['maxProperties'] === undefined)).toEqual([]);
});

test('each field has a type, as a structural schema needs it', () => {
  expect(where((s) => typeof s.type !== 'string')).toEqual([]);
  expect(where((s) => s.type === 'object' && !s.properties && !s.additionalProperties)).toEqual([]);
});

test('nothing stands in a schema that a structural one does not take', () => {
  const taken =
    /^(type|description|format|pattern|default|enum|min(imum|Length|Items)|max(imum|Length|Items|Properties)|required|properties|items|additionalProperties|x-kubernetes-.+)$/;
  const keys = new Set(ALL.flatMap(([, schema]) => Object.keys(schema)));
  expect([...keys].filter((key) => !taken.test(key))).toEqual([]);
});

test('a field that is filled in is not required as well', () => {
  expect(where((s) => (s.required ?? []).some((key) => s.properties?.[key]?.default !== undefined))).toEqual([]);
});

test('each list says how it is merged; those in a map are values, replaced whole', () => {
  const silent = where((s) => s.type === 'array' && s['x-kubernetes-list-type'] === undefined);
  expect(silent.filter((path) => !path.endsWith('{}'))).toEqual([]);
  const keyless = where((s) =>
    ((s['x-kubernetes-list-map-keys'] ?? []) as string[]).some((key) => !s.items?.required?.includes(key)),
  );
  expect(keyless).toEqual([]);
});

test('each rule stands at a field that there is, and each in the CRD', () => {
  for (const definition of DEFINITIONS) {
    const text = readFileSync(`crds/${definition.plural}.yaml`, 'utf8');
    for (const { rules } of definition.rules) {
      for (const { message } of rules) expect(text).toContain(message.slice(0, 30));
    }
  }
  expect(() => attachRules({ type: 'object' }, [{ path: 'spec.nothing', rules: [] }])).toThrow('spec.nothing');
});

const RULES = [...sessionRules, ...questionRules].flatMap(({ path, rules }) => rules.map((rule) => ({ path, rule })));

test.each(RULES)('the rule at "$path" says by oldSelf whether it is about a change: $rule.message', ({ rule }) => {
  const { cel, holds, optionalOldSelf = false } = rule;
  const aboutChange = /\boldSelf\b/.test(cel);
  expect(holds.length > 1, 'the predicate looks at the value before').toBe(aboutChange);
  expect(optionalOldSelf, 'an optional is asked for its value').toBe(/oldSelf\.(hasValue|orValue|value)\(/.test(cel));
});

test('no message of a rule is longer than an API server takes, or without words', () => {
  for (const { rule } of RULES) {
    expect(rule.message.length).toBeLessThan(2048);
    expect(rule.message).toMatch(/\w+ \w+/);
    expect(rule.message).not.toContain('\n');
  }
});
