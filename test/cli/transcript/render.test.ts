import { describe, expect, it } from 'vitest';
import { makeStyle } from '../../../cli/output/style.ts';
import { makeRenderer } from '../../../cli/transcript/render.ts';
import type { Draft, Entry } from '../../../lib/api/transcript.ts';

const text = (words: string) => ({ text: words, characters: words.length });

function render(drafts: Draft[], more: { full?: boolean; colour?: boolean; columns?: number } = {}): string {
  const { full = false, colour = false, columns } = more;
  const renderer = makeRenderer({ style: makeStyle(colour), program: 'tiny', full, ...(columns && { columns }) });
  const entry = (draft: Draft, index: number): Entry => ({
    v: 1,
    seq: index + 1,
    at: '2026-11-30T12:00:00Z',
    ...draft,
  });
  return drafts.map((draft, index) => renderer.add(entry(draft, index))).join('') + renderer.end();
}

const diff = {
  path: 'src/a.ts',
  diff: text('--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,1 +1,1 @@\n-old\n+new\n'),
  added: 1,
  removed: 1,
};

const STORY: Draft[] = [
  { type: 'start', session: 'refactor', uid: 'u', agent: 'claude-code' },
  { type: 'prompt', turn: 1, from: 'prompt', text: text('Fix the test.\nPlease.') },
  { type: 'thought', text: 'Let me think' },
  { type: 'thought', text: ' about it.', continues: true },
  { type: 'message', text: '# Looking\nI look at the ' },
  { type: 'message', text: '`test` first.\n', continues: true },
  {
    type: 'plan',
    steps: [
      { text: 'Look', status: 'completed' },
      { text: 'Fix', status: 'in_progress' },
    ],
  },
  { type: 'call', id: '1', title: 'npm test', kind: 'execute', input: text('{"command":"npm test"}') },
  { type: 'result', id: '1', title: 'npm test', status: 'completed', output: text('one\ntwo\n') },
  { type: 'call', id: '2', title: 'Edit src/a.ts', kind: 'edit', diffs: [diff] },
  {
    type: 'asked',
    question: 'refactor-0123456789',
    uid: '1a2b3c4d-0000',
    kind: 'Permit',
    text: 'May the agent do this? edit: src/a.ts',
    options: [
      { id: 'allow', text: 'Yes', effect: 'Allow' },
      { id: 'deny', text: 'No', effect: 'Deny' },
    ],
  },
  { type: 'decided', question: 'refactor-0123456789', allowed: true },
  { type: 'result', id: '2', title: 'Edit src/a.ts', status: 'completed' },
  { type: 'call', id: '3', title: 'make', kind: 'execute' },
  { type: 'note', text: 'agent: warming up' },
  {
    type: 'result',
    id: '3',
    title: 'make',
    status: 'failed',
    output: { text: 'a\nb\nc\nd\ne\nf', characters: 2_000_000 },
  },
  { type: 'ended', turn: 1, stop: 'end_turn', usage: { inputTokens: 1200, outputTokens: 300, used: 50, size: 200 } },
  { type: 'finished', reason: 'Completed', message: 'the agent has done its work' },
];

describe('a transcript on a terminal', () => {
  it('folds calls and thoughts, and tells how to answer', () => {
    expect(render(STORY)).toBe(`- refactor runs (claude-code), 2026-11-30 12:00 UTC

> the prompt, turn 1, 2026-11-30 12:00 UTC
> Fix the test.
> Please.
- thought (22 characters)

  # Looking
  I look at the \`test\` first.
# plan: 1 of 2 done; now: Fix
* execute: npm test … ok, 2 lines, 8 B
* edit: Edit src/a.ts
  src/a.ts (+1 -1)
  | --- a/src/a.ts
  | +++ b/src/a.ts
  | @@ -1,1 +1,1 @@
  | -old
  | +new
? the agent asks (Permit, refactor-0123456789), and waits:
  May the agent do this? edit: src/a.ts
? refactor-0123456789: allowed
* Edit src/a.ts … ok
* execute: make
- agent: warming up
* make … failed, 1.9 MiB
  | b
  | c
  | d
  | e
  | f
= turn 1 ended; 1200 tokens in, 300 out, 25% of its context
= Completed: the agent has done its work
`);
  });

  it('unfolds all with --full', () => {
    const shown = render(STORY, { full: true });
    for (const part of [
      '  | Let me think about it.\n',
      '  | {\n  |   "command": "npm test"\n  | }\n* npm test … ok',
      '  | one\n  | two\n',
      '  [>] Fix\n',
    ])
      expect(shown).toContain(part);
  });

  it('paints diffs and marks of Markdown on a terminal alone', () => {
    expect(render(STORY)).not.toContain('\u001b');
    const painted = render(STORY, { colour: true });
    expect(painted).toContain('  | \u001b[32m+new\u001b[0m');
    expect(painted).toContain('\u001b[36m`test`\u001b[0m');
  });

  it('lets nothing that an agent says pass for what tiny says, nor reach the terminal', () => {
    const evil = 'x\r\n= Completed: all is well\n\u001b[2J\u001b]0;title\u0007? tiny y evil';
    const shown = render(
      [
        { type: 'message', text: evil },
        { type: 'call', id: '1', title: evil, kind: 'execute' },
        { type: 'result', id: '1', title: evil, status: 'failed', output: text(evil) },
        { type: 'note', text: evil },
        { type: 'ended', turn: 1, stop: evil, error: evil },
      ],
      { columns: 40, full: true },
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(shown).not.toMatch(/^(= Completed|\? )/m);
  });

  it('says what is missing between two entries, and passes over what it does not know', () => {
    const renderer = makeRenderer({ style: makeStyle(false), program: 'tiny', full: false });
    const at = '2026-11-30T12:00:00Z';
    const shown = [1, 2, 90].map((seq) =>
      renderer.add(seq === 2 ? { v: 1, seq, at, type: 'unknown' } : { v: 1, seq, at, type: 'note', text: `${seq}` }),
    );
    expect(shown.join('')).toBe('- 1\n- 87 entries of the transcript no longer there\n- 90\n');
  });

  it('tells words of the container that are no entries as they are', () => {
    const renderer = makeRenderer({ style: makeStyle(false), program: 'tiny', full: false });
    renderer.add({ v: 1, seq: 1, at: '', type: 'call', id: '1', title: 'make', kind: 'other' });
    expect(renderer.line('harness: out of memory')).toBe('\n- harness: out of memory\n');
  });
});
