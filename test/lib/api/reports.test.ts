/** What an agent may report is held by policy field by field: a field that the schema has and the policy lacks is refused. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { sessionStatus } from '../../../lib/api/session.ts';

const file = join(import.meta.dirname, '../../../rbac/policies/verify/agent-reports.yaml');

it('the policy lets an agent report each field of the status, and its message names them', () => {
  const [policy] = parseAllDocuments(readFileSync(file, 'utf8')).map((one) => one.toJS());
  const { variables, validations } = policy.spec;
  const { expression } = variables.find(({ name }: { name: string }) => name === 'fields');
  const fields = JSON.parse(expression.replaceAll("'", '"')) as string[];
  expect(fields.toSorted()).toEqual(Object.keys(sessionStatus.shape).toSorted());
  const { message } = validations.find((one: { expression: string }) => one.expression.includes('variables.fields'));
  for (const field of fields) expect(message).toContain(field);
});
