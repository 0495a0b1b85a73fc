import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ABOUT } from '../../../lib/settings/about.ts';
import { problemsOf } from '../../../lib/settings/problems.ts';
import { DESCRIBED, KEYS } from '../../../lib/settings/schema.ts';

const ROOT = join(import.meta.dirname, '../../..');

test('every example is a setting', () => {
  const examples = Object.fromEntries(DESCRIBED.map(({ key, example }) => [key, example]));
  expect(problemsOf(examples)).toEqual([]);
});

test('what stands in a new project is the settings, once the comment signs are gone', () => {
  const yaml = ABOUT.split('\n').filter((line) => /^# {3}/.test(line));
  const read = parse(yaml.map((line) => line.slice(4)).join('\n')) as Record<string, string>;
  expect(Object.keys(read)).toEqual(KEYS.filter((key) => key !== 'about.txt'));
  expect(problemsOf(read)).toEqual([]);
});

test.each([
  ['an unknown key', { 'answerer.users': 'x' }, 'answerer.users is no setting'],
  ['a flag that is none', { 'answerers.notRequester': 'TRUE' }, 'answerers.notRequester must be "true" or "false"'],
  ['an empty text', { 'channels.slack': '' }, 'channels.slack must be text'],
  ['two lines where one is wanted', { 'channels.slack': 'a\nb' }, 'channels.slack must be text'],
])('%s is not understood', (_what, data, message) => {
  expect(problemsOf(data as never).map(({ key, what }) => `${key} ${what}`)).toEqual([message]);
});

test('each key that a policy or function reads is known', () => {
  const policies = ['allowed', 'apply', 'apply-settings', 'spawn-settings', 'who-may-answer', 'spawn'];
  const text = policies.map((name) => readFileSync(join(ROOT, `rbac/policies/verify/${name}.yaml`), 'utf8')).join('\n');
  const read = new Set([...text.matchAll(/data\[\??'([^']+)'\]/g)].map(([, key]) => key));
  expect(read.size).toBeGreaterThan(5);
  expect([...read].filter((key) => !KEYS.includes(key as never))).toEqual([]);
});
