import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REGISTRY } from '../../../cli/registry.ts';
import { makeHarness } from '../harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiny-completion-'));
afterAll(() => rmSync(folder, { recursive: true }));

const evil = join(folder, 'evil');

const script = async (shell: string) => (await makeHarness().tiny(['completion', shell])).out;

describe('the script for bash', () => {
  beforeAll(async () => {
    writeFileSync(join(folder, 'completion.bash'), await script('bash'));
    writeFileSync(
      join(folder, 'tiny'),
      '#!/bin/sh\necho "$@" >> "$CALLS"\n[ "$1" = ls ] && echo session.tiny.dev/refactor && echo session.tiny.dev/other\n[ "$1" = questions ] && echo question.tiny.dev/q-1\n[ "$3" = evil ] && cat "$EVIL"\nexit 0\n',
    );
    chmodSync(join(folder, 'tiny'), 0o755);
  });

  const complete = (...words: string[]): string[] =>
    execFileSync(
      'bash',
      [
        '--norc',
        '-c',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell's
        'source "$0/completion.bash"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tiny; printf "%s\\n" "${COMPREPLY[@]}"',
        folder,
        ...words,
      ],
      { env: { PATH: `${folder}:/usr/bin:/bin`, CALLS: join(folder, 'calls'), EVIL: evil } },
    )
      .toString()
      .split('\n')
      .filter(Boolean);

  it('completes commands', () => {
    expect(complete('tiny', 'su')).toEqual(['suspend']);
    expect(complete('tiny', '')).toEqual(REGISTRY.map(({ name }) => name));
  });

  it('completes flags of the command and of all commands', () => {
    expect(complete('tiny', 'new', '--re')).toEqual(['--repo', '--ref', '--repo-secret']);
    expect(complete('tiny', 'new', '--kube')).toEqual(['--kubeconfig']);
  });

  it('completes names of Sessions and Questions, in the namespace of the line', () => {
    expect(complete('tiny', '-n', 'demo', 'show', 'ref')).toEqual(['refactor']);
    expect(complete('tiny', 'answer', '')).toEqual(['q-1']);
    expect(execFileSync('cat', [join(folder, 'calls')]).toString()).toBe('ls -n demo -o name\nquestions -o name\n');
  });

  it('lets no name from the cluster be run, and offers none but those of the right shape', () => {
    const mark = join(folder, 'owned');
    const names = [`$(touch ${mark})`, `\`touch ${mark}\``, '$HOME', 'a b', 'A', "x'y", 'é', '-n', 'fine', 'q@1a2b'];
    writeFileSync(evil, names.map((name) => `session.tiny.dev/${name}\n`).join(''));
    expect(complete('tiny', '-n', 'evil', 'show', '')).toEqual(['refactor', 'other', 'fine', 'q@1a2b']);
    expect(existsSync(mark)).toBe(false);
  });

  it('completes what a flag may be', () => {
    expect(complete('tiny', 'ls', '-o', 'j')).toEqual(['json']);
    expect(complete('tiny', 'logs', 'refactor', '-c', '')).toEqual(['agent', 'tools']);
    expect(complete('tiny', 'completion', 'f')).toEqual(['fish']);
  });
});

it.each(['zsh', 'fish'])(
  'the script for %s knows every command, and parses where the shell is there',
  async (shell) => {
    const text = await script(shell);
    for (const { name } of REGISTRY) expect(text).toContain(name);
    expect(text).toMatch(/-o name 2>\/dev\/null \|.*\| env LC_ALL=C grep -xE '\[a-z0-9\]\[a-z0-9\.@-\]\*'/);
    const { error, status, stderr } = spawnSync(shell, ['-n'], { input: text });
    if (!error) expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
  },
);
