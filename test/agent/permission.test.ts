import type { PermissionOption } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { choicesOf, verdict } from '../../agent/harness/choices.ts';
import { unifiedDiff } from '../../agent/harness/diff.ts';
import { permitQuestion, unshowable } from '../../agent/harness/permission.ts';
import { contentOf, mergeCall, toolCallOf } from '../../agent/harness/tool-call.ts';
import type { Closed } from '../../agent/tools/asking.ts';
import { questionSpec } from '../../lib/api/question.ts';
import { questionRules } from '../../lib/api/question-rules.ts';
import { violations } from '../../lib/api/rule.ts';

const option = (optionId: string, kind: PermissionOption['kind']): PermissionOption => ({
  optionId,
  name: `do ${optionId}`,
  kind,
});
const all = [
  option('a', 'allow_once'),
  option('b', 'allow_always'),
  option('c', 'reject_once'),
  option('d', 'reject_always'),
];

describe('the options of a permission request', () => {
  it('become options that a person can type', () => {
    expect(choicesOf(all).map(({ id, effect }) => [id, effect])).toEqual([
      ['allow', 'Allow'],
      ['allow-always', 'AllowAlways'],
      ['deny', 'Deny'],
      ['deny-always', 'DenyAlways'],
    ]);
    expect(choicesOf([option('x', 'allow_once'), option('y', 'allow_once')]).map(({ id }) => id)).toEqual([
      'allow',
      'allow-2',
      'deny',
    ]);
  });

  it('say what "always" is: ours, word for word, and the agent hears of one yes', () => {
    const [, always, , never] = choicesOf(all, 'command');
    expect(always).toMatchObject({ text: 'Always in this Session: this command', optionId: 'a' });
    expect(never).toMatchObject({ text: 'Never in this Session: this command', optionId: 'c' });
    expect(choicesOf([option('s', 'allow_always'), option('w', 'allow_always'), ...all]).map(({ id }) => id)).toEqual([
      'allow-always',
      'allow',
      'deny',
      'deny-always',
    ]);
  });

  it("are the agent's own where it offers none for once", () => {
    expect(choicesOf([option('x', 'allow_always')])).toEqual([
      { id: 'allow-always', text: 'do x', effect: 'AllowAlways', optionId: 'x' },
      { id: 'deny', text: 'No', effect: 'Deny', optionId: undefined },
    ]);
  });

  const answered = (option: string, allowed: boolean) => ({ state: 'answered', option, allowed }) as const;
  const selected = (optionId: string) => ({ outcome: 'selected', optionId });

  const cases: [name: string, offered: PermissionOption[], decision: Closed, expected: object][] = [
    ['allow', all, answered('allow', true), { allowed: true, always: false, outcome: selected('a') }],
    ['allow always', all, answered('allow-always', true), { allowed: true, always: true, outcome: selected('a') }],
    ['deny', all, answered('deny', false), { allowed: false, always: false, outcome: selected('c') }],
    ['deny always', all, answered('deny-always', false), { allowed: false, always: true, outcome: selected('c') }],
    [
      'a no that was not offered',
      all.slice(0, 2),
      answered('deny', false),
      { allowed: false, outcome: { outcome: 'cancelled' } },
    ],
    [
      'an expiry',
      all,
      { state: 'expired', allowed: false } as const,
      { allowed: false, always: false, outcome: selected('c') },
    ],
    [
      'an expiry with a yes as default',
      all,
      { state: 'expired', allowed: false, option: 'allow' } as const,
      { allowed: false, outcome: selected('c') },
    ],
    ['an option that nobody offered', all, answered('other', true), { allowed: false, outcome: selected('c') }],
  ];
  it.each(cases)('%s', (_name, ...[offered, decision, expected]) => {
    expect(verdict(choicesOf(offered), decision)).toMatchObject(expected);
  });
});

describe('a permission request as a Question', () => {
  const call = toolCallOf(
    mergeCall(
      {
        toolCallId: '1',
        title: null,
        content: [{ type: 'diff', path: 'a.txt', oldText: 'a\nb\n', newText: 'a\nc\n' }],
      },
      { title: 'Edit a.txt', kind: 'edit', rawInput: { path: 'a.txt' } },
    ),
  );

  it('holds the call whole and obeys the rules of Questions', () => {
    const spec = permitQuestion('s', call, choicesOf(all));
    expect(spec?.toolCall).toMatchObject({ title: 'Edit a.txt', kind: 'edit', input: '{"path":"a.txt"}' });
    expect(spec?.toolCall?.diff).toContain('-b\n+c');
    const question = { metadata: { name: 'q' }, spec: questionSpec.parse(spec) };
    expect(violations(questionRules, question)).toEqual([]);
  });

  it('is the same after a restart, though the call has another id', () => {
    expect(contentOf({ ...call, id: '2' })).toBe(contentOf(call));
    expect(contentOf({ ...call, input: '{"path":"b.txt"}' })).not.toBe(contentOf(call));
  });

  const longTitle = 'x'.repeat(1025);
  it.each([
    ['an input', { rawInput: 'x'.repeat(70_000) }, 'input'],
    ['a diff', { content: [{ type: 'diff', path: 'a', newText: 'x'.repeat(300_000) } as const] }, 'diff'],
    ['a title that is all there is', { title: longTitle }, 'title'],
  ])('can not be shown whole with %s that is too long', (_name, call, what) => {
    expect(unshowable(toolCallOf(mergeCall({ toolCallId: '1', title: 't', ...call })))).toContain(`its ${what} has`);
  });

  it('has its title cut where the input says it all, and no character split', () => {
    const title = `${'x'.repeat(1023)}\u{1f600}`;
    const long = toolCallOf(mergeCall({ toolCallId: '1', title, kind: 'switch_mode', rawInput: {} }));
    expect(unshowable(long)).toBeUndefined();
    const spec = questionSpec.parse(permitQuestion('s', long, choicesOf(all)));
    expect(spec.toolCall).toMatchObject({ kind: 'other', title: 'x'.repeat(1023) });
  });

  it('is not asked where no yes is possible', () => {
    expect(permitQuestion('s', call, choicesOf(all.slice(2)))).toBeUndefined();
  });
});

it('a diff names new files and keeps context', () => {
  expect(unifiedDiff('a', null, 'x\n')).toBe('--- /dev/null\n+++ b/a\n@@ -0,0 +1,1 @@\n+x\n');
  expect(unifiedDiff('a', '1\n2\n3\n4\n5\n', '1\n2\n3\n4\n6\n')).toBe(
    '--- a/a\n+++ b/a\n@@ -2,4 +2,4 @@\n 2\n 3\n 4\n-5\n+6\n',
  );
});
