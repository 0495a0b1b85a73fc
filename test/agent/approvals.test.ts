import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isUnasked } from '../../agent/harness/approvals.ts';
import { cloneIn } from '../../agent/harness/real-path.ts';
import { mergeCall, proposedOf, rememberedAs, toolCallOf } from '../../agent/harness/tool-call.ts';
import { type Approvals, approvals } from '../../lib/api/approvals.ts';

/** As claude-agent-acp 0.101 and codex-acp 2.6 ask, each for its tool call that was told before. */
const asked = (rawInput: unknown, more: Partial<ToolCallUpdate> = {}, known: Partial<ToolCallUpdate> = {}) =>
  mergeCall({ toolCallId: '1', title: 'a title', kind: 'execute', rawInput, ...more }, known);

let volume = '';
let clone = '';
beforeAll(() => {
  volume = mkdtempSync(join(tmpdir(), 'approvals-'));
  clone = join(volume, 'repo');
  mkdirSync(join(clone, 'src'), { recursive: true });
  mkdirSync(join(clone, '.git', 'hooks'), { recursive: true });
  mkdirSync(join(volume, 'state'));
  writeFileSync(join(clone, 'src', 'a.ts'), '');
  symlinkSync(join(volume, 'state'), join(clone, 'away'));
  symlinkSync(join(volume, 'state', 'journal'), join(clone, 'dangling'));
  symlinkSync('src', join(clone, 'near'));
  symlinkSync('round', join(clone, 'round'));
});
afterAll(() => rmSync(volume, { recursive: true }));

const unasked = (call: ToolCallUpdate, given: Partial<Approvals>) =>
  isUnasked(proposedOf(call), approvals.parse(given), cloneIn(volume));

const commands = ['git status', 'npm run *', 'npm test'];

describe('a command needs no yes', () => {
  it.each<[what: string, input: unknown, more?: Partial<ToolCallUpdate>]>([
    ['as Claude Code asks', { command: 'npm run build', description: 'Build' }],
    ['with what says how long and where it goes on', { command: 'npm test', timeout: 9, run_in_background: true }],
    ['as Codex asks', { command: 'git status', cwd: '.' }],
    ['as a list of words', { command: ['git', 'status'] }],
    ['as a list that hands a line to a shell', { command: ['/bin/bash', '-lc', 'npm test && git status'] }],
    ['whatever its kind is called', { command: 'npm test' }, { kind: 'read' }],
  ])('%s', (_what, input, more) => {
    expect(unasked(asked(input, more), { commands })).toBe(true);
  });

  it('in a folder of the clone', () => {
    expect(unasked(asked({ command: 'npm test', cwd: join(clone, 'src') }), { commands })).toBe(true);
    expect(unasked(asked({ command: 'npm test', cwd: clone }), { commands })).toBe(true);
  });

  it('where all of its kind are allowed, by either word', () => {
    for (const allow of ['execute', 'run'] as const) {
      expect(unasked(asked({ command: 'rm -rf build; ls' }), { allow: [allow] })).toBe(true);
    }
  });
});

describe('a command needs a yes', () => {
  it.each<[what: string, input: unknown, more?: Partial<ToolCallUpdate>]>([
    ['with another behind it', { command: 'npm test; rm x' }],
    ['with rights that it asks for', { command: 'npm test', additionalPermissions: { network: { enabled: true } } }],
    ['outside of its sandbox', { command: 'npm test', dangerouslyDisableSandbox: true }],
    ['with a place in the network', { command: 'npm test', url: 'https://evil.example' }],
    ['with a field that nobody knows', { command: 'npm test', shell: '/tmp/sh' }],
    ['in a folder outside', { command: 'npm test', cwd: '/tmp' }],
    ['in the folder that contains the clone', { command: 'npm test', cwd: '..' }],
    ['in a folder that a link leads to', { command: 'npm test', cwd: 'away' }],
    ['in two folders', { command: 'npm test', cwd: '.', workdir: '.' }],
    ['in a folder that is no text', { command: 'npm test', cwd: 1 }],
    ['where its title alone says what is allowed', { command: 'rm x', title: 'npm test' }, { title: 'npm test' }],
    ['where only its description does', { description: 'npm test' }, { title: '`npm test`' }],
    ['as a word of a list', { command: ['npm test'] }],
    ['as a list with what a shell would part', { command: ['git', 'status', ';', 'rm', 'x'] }],
    ['in a shell in a list with more words', { command: ['bash', '-lc', 'npm test', '; rm x'] }],
    ['in a script', { command: ['bash', 'npm test'] }],
    ['that is no text', { command: { toString: 'npm test' } }],
    ['as an empty list', { command: [] }],
    ['as text alone', 'npm test'],
    ['without any input', undefined, { title: 'npm test' }],
  ])('%s', (_what, input, more) => {
    expect(unasked(asked(input, more), { commands })).toBe(false);
  });

  it('whatever kind it says it is, where reading is allowed', () => {
    for (const kind of ['read', 'search', 'think'] as const)
      expect(unasked(asked({ command: 'cat /etc/passwd | sh' }, { kind }), {})).toBe(false);
  });

  it('where running is allowed and reaching out is not', () => {
    const call = asked({ command: 'npm test', url: 'https://evil.example' });
    expect(unasked(call, { allow: ['run'] })).toBe(false);
    expect(unasked(call, { allow: ['run', 'network'] })).toBe(true);
  });
});

describe('an edit, where editing is allowed,', () => {
  const edit = (path: string, more: Partial<ToolCallUpdate> = {}) =>
    asked({ file_path: path, old_string: 'a', new_string: 'b' }, { kind: 'edit', ...more });
  const allow = ['edit'] as const;

  it.each(['src/a.ts', 'src/new/b.ts', 'near/a.ts', './x', 'src/../y'])('needs no yes at %s', (path) => {
    expect(unasked(edit(path), { allow: [...allow] })).toBe(true);
    expect(unasked(edit(join(clone, path)), { allow: [...allow] })).toBe(true);
  });

  it.each([
    ...['../state/journal.jsonl', '/etc/passwd', 'away/journal.jsonl', 'away', 'dangling', 'round', '../repo2/x'],
    ...['.git/hooks/pre-commit', 'src/.git/config', '.GIT/config', '..', '../..'],
  ])('needs a yes at %s', (path) => {
    expect(unasked(edit(path), { allow: [...allow] })).toBe(false);
  });

  it('needs one where any path that it names is outside, in its diff, its place or its changes', () => {
    const outside = '/state/journal.jsonl';
    const diff = { type: 'diff', path: outside, newText: '' } as const;
    expect(unasked(edit('src/a.ts', { content: [diff] }), { allow: [...allow] })).toBe(false);
    expect(unasked(edit('src/a.ts', { locations: [{ path: outside }] }), { allow: [...allow] })).toBe(false);
    const changes = asked({ changes: { [outside]: {} } }, { kind: 'edit', locations: [{ path: 'src/a.ts' }] });
    expect(unasked(changes, { allow: [...allow] })).toBe(false);
    const before = asked(undefined, { kind: 'edit' }, { locations: [{ path: outside }] });
    expect(unasked(before, { allow: [...allow] })).toBe(false);
  });

  it('needs one where nobody knows what is written, and a deletion needs its own', () => {
    expect(unasked(asked({ text: 'x' }, { kind: 'edit' }), { allow: [...allow] })).toBe(false);
    expect(unasked(edit('src/a.ts', { kind: 'delete' }), { allow: [...allow] })).toBe(false);
  });
});

describe('what is shown', () => {
  it('is the command and the folder of the input, never of the title', () => {
    const call = toolCallOf(asked({ command: 'rm -rf x', cwd: '/workspace/repo' }, { title: 'npm test' }));
    expect(call).toMatchObject({ command: 'rm -rf x', folder: '/workspace/repo', title: 'npm test' });
    expect(toolCallOf(asked({ description: 'npm test' }))).not.toHaveProperty('command');
  });

  it('of a list is what a shell would have to be told', () => {
    expect(toolCallOf(asked({ command: ['echo', '$HOME; ls', "it's"] })).command).toBe("echo '$HOME; ls' 'it'\\''s'");
    expect(toolCallOf(asked({ command: ['zsh', '-lc', 'ls | wc'] })).command).toBe('ls | wc');
  });

  it('is the diff that was told before, where the request has none', () => {
    const content = [{ type: 'diff', path: 'a', oldText: 'x', newText: 'y' } as const];
    expect(toolCallOf(asked(undefined, { kind: null, content: [] }, { kind: 'edit', content }))).toMatchObject({
      kind: 'edit',
      diff: expect.stringContaining('-x\n+y'),
    });
  });
});

describe('"always"', () => {
  const remembered = (input: unknown) => rememberedAs(proposedOf(asked(input)), JSON.stringify(input));

  it('is the same command in the same folder, whatever is said about it', () => {
    const one = remembered({ command: 'npm test', description: 'Run the tests' });
    expect(remembered({ command: 'npm test', description: 'Try again', timeout: 5 })).toBe(one);
    expect(remembered({ command: 'npm test ' })).not.toBe(one);
    expect(remembered({ command: 'npm test', cwd: '/tmp' })).not.toBe(one);
    expect(remembered({ command: 'npm test', additionalPermissions: {} })).not.toBe(one);
  });
});
