import { expect, it } from 'vitest';
import { callParts } from '../../../lib/question/call-parts.ts';

const shown = (call: { title?: string; input?: string; command?: string; folder?: string; diff?: string }) =>
  Object.fromEntries(callParts({ id: '1', title: 't', kind: 'execute', ...call }).filter(([, text]) => text !== ''));

it('shows a command once, in its own words, with its folder', () => {
  const input = JSON.stringify({ command: 'rm -rf "a b"', cwd: '/workspace/repo' });
  expect(shown({ title: '`rm -rf "a b"`', command: 'rm -rf "a b"', folder: '/workspace/repo', input })).toEqual({
    Command: 'rm -rf "a b"',
    Folder: '/workspace/repo',
  });
});

it('shows what else the input holds, and what the agent calls it', () => {
  const input = JSON.stringify({ command: 'npm test', timeout: 9, additionalPermissions: { network: true } });
  expect(shown({ title: 'Run the tests', command: 'npm test', input })).toEqual({
    'Tool call': 'Run the tests',
    Command: 'npm test',
    Input: '{"timeout":9,"additionalPermissions":{"network":true}}',
  });
});

it.each([
  ['an input that runs something else', '{"command":"rm x"}'],
  ['an input with one key twice', '{"command":"rm x","command":"npm test"}'],
  ['an input that is no object', '["npm test"]'],
  ['an input that is no JSON', 'npm test'],
])('shows %s whole', (_what, input) => {
  expect(shown({ command: 'npm test', input })).toMatchObject({ Command: 'npm test', Input: input });
});

it('shows an edit by its diff and its input', () => {
  expect(shown({ title: 'Edit a', input: '{"file_path":"a"}', diff: '-x\n+y' })).toEqual({
    'Tool call': 'Edit a',
    Input: '{"file_path":"a"}',
    Diff: '-x\n+y',
  });
});
