import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeTelling } from '../../../lib/channel/telling.ts';
import { type Block, idOf, makeMessage, shownBy } from '../../../lib/slack/blocks.ts';
import { escaped, fenced, LIMIT, oneLine, quoted, shortened, unescaped } from '../../../lib/slack/text.ts';
import { makeQuestion, NOW } from '../../support/objects.ts';

const message = (spec: Record<string, unknown>, status?: object) =>
  makeMessage(makeTelling(makeQuestion({ spec, ...(status && { status }) }), NOW));
const texts = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => {
    const { text, elements = [] } = block as {
      text?: { text: string };
      elements?: { text?: string | { text: string } }[];
    };
    const inner = elements.map((one) => (typeof one.text === 'string' ? one.text : (one.text?.text ?? '')));
    return [...(text ? [text.text] : []), ...inner];
  });
const buttonsOf = (blocks: readonly Block[]) => (blocks.at(-1)?.elements ?? []) as { confirm?: object }[];
const PERMIT = {
  kind: 'Permit',
  spawn: undefined,
  toolCall: { id: '1', title: 'rm -rf build', kind: 'execute', input: '{"command":"rm -rf build"}' },
};

describe('a Question in Slack', () => {
  test('says who asks, what a yes does, and what may be chosen, the effect first', () => {
    const { blocks } = message(PERMIT);
    const all = texts(blocks).join('\n');
    expect(all).toContain('*Session `fix` in `team-a` asks* (Permit)');
    expect(all).toContain('```\nrm -rf build\n```');
    expect(all).toContain('Allow: Yes');
    expect(all).toContain('tiny show question/fix-1@uid-of-f -n team-a');
    expect(blocks.at(-1)).toMatchObject({ type: 'actions', block_id: 'question/team-a/fix-1/uid-of-fix-1' });
  });

  test('shows a command as it is run, not within JSON, and its folder', () => {
    const command = 'git commit -m "a\nb" &&\n  git push';
    const input = JSON.stringify({ command, cwd: '/workspace', timeout: 9 });
    const call = { ...PERMIT.toolCall, title: command, command, folder: '/workspace', input };
    const all = texts(message({ ...PERMIT, toolCall: call }).blocks);
    const code = (text: string) => `\`\`\`\n${escaped(text)}\n\`\`\``;
    expect(all).toContain(`*Runs a tool (execute)*\n${code(command)}`);
    expect(all).toContain(`*In folder*\n${code('/workspace')}`);
    expect(all).toContain(`*With*\n${code('{"timeout":9}')}`);
    expect(all.join().split('git push')).toHaveLength(2);
  });

  test('mentions nobody, links nowhere, and does not break out of its quotation', () => {
    const evil = '<!channel> <@U1> <https://evil.example|docs> & ``` *bold*\n> fake';
    const { blocks, text } = message({
      ...PERMIT,
      text: evil,
      toolCall: { ...PERMIT.toolCall, title: evil, input: evil },
    });
    for (const one of [...texts(blocks.filter(({ type }) => type !== 'actions')), text]) {
      expect(one).not.toMatch(/<[!@#h]/);
      expect(one.split('```').length % 2).toBe(1);
    }
    expect(blocks[1]).toMatchObject({ text: { verbatim: true, text: expect.stringMatching(/^> .*\n> &gt; fake$/) } });
  });

  test('shows no characters that turn or hide others', () => {
    const { blocks } = message({ text: 'delete \u202egpj.exe\u0007 \u200b' });
    expect(texts(blocks)[1]).toBe('> delete \ufffdgpj.exe\ufffd \ufffd');
    const blank = ['\u061c', '\u00ad', '\u034f', '\u115f', '\u180e', '\u2800', '\u3164', '\ufff9', '\u{e0041}'];
    for (const one of blank) expect(texts(message({ text: `a${one}b` }).blocks)[1]).toBe('> a\ufffdb');
    expect(texts(message({ text: 'I \u2764\ufe0f it' }).blocks)[1]).toBe('> I \u2764\ufe0f it');
  });

  test('that proposes an object says first what a yes does, and the group of its kind; of a name too long, that it is cut', () => {
    const object = {
      apiVersion: 'serving.knative.dev/v1',
      kind: 'Service',
      namespace: 'team-a',
      name: 'x',
      fields: '{}',
    };
    const proposal = (more: object) =>
      message({
        ...PERMIT,
        kind: 'Apply',
        toolCall: undefined,
        apply: { force: true, objects: [{ ...object, ...more }] },
      });
    expect(texts(proposal({}).blocks)[2]).toBe(
      '*Applies, as whoever says yes, taking over fields of others (what was applied so before and is not said again goes): Service.serving.knative.dev team-a/x*\n```\n{}\n```',
    );
    const { blocks } = proposal({ name: 'x'.repeat(253) });
    expect(texts(blocks).join()).toContain('*shortened*');
    expect(buttonsOf(blocks)[0]?.confirm).toBeDefined();
  });

  test('of 3,001 characters is shortened, with the way to the whole, and a yes then asks once more', () => {
    const { blocks } = message({ text: 'x'.repeat(3001) });
    expect(texts(blocks)[1]?.length).toBeLessThanOrEqual(LIMIT.section);
    expect(texts(blocks).join()).toContain('*shortened*; all of it: `tiny show question/fix-1@');
    const [yes, no] = buttonsOf(blocks);
    expect(yes?.confirm).toBeDefined();
    expect(no?.confirm).toBeUndefined();
    const whole = buttonsOf(message({ text: 'x' }).blocks);
    expect(whole[0]?.confirm).toBeUndefined();
  });

  test('that is answered says who, when and what came of it, and has no button', () => {
    const by = { username: 'bob<!here>' };
    const acted = {
      type: 'Acted',
      status: 'False',
      reason: 'Forbidden',
      message: 'bob may not',
      lastTransitionTime: '',
    };
    const { blocks } = message(
      { answer: { option: 'allow', at: '2026-11-30T12:00:00Z', by } },
      { conditions: [acted] },
    );
    const all = texts(blocks).join('\n');
    expect(all).toContain('Answered by bob&lt;!here&gt;* at 2026-11-30T12:00:00Z');
    expect(all).toContain('> Allow: Yes');
    expect(all).toContain('*Forbidden*: bob may not');
    expect(blocks.map(({ type }) => type)).not.toContain('actions');
  });

  test('that takes words has a button for them', () => {
    const { blocks } = message({ kind: 'Ask', spawn: undefined, options: undefined });
    expect(blocks.at(-1)?.elements).toMatchObject([{ action_id: 'words' }]);
  });

  test("keeps Slack's limits, whatever is asked", () => {
    const long = fc.string({ unit: 'grapheme', maxLength: 4000 }).map((text) => text.repeat(4).slice(0, 16_000) || 'x');
    fc.assert(
      fc.property(long, long, long, (text, input, diff) => {
        const options = Array.from({ length: 16 }, (_, at) => ({
          ...{ id: `${at % 2 ? 'allow' : 'deny'}-${at}`, text: text.slice(0, 256) || 'x' },
          effect: at % 2 ? 'Allow' : 'Deny',
        }));
        const { blocks, ...rest } = message({
          ...PERMIT,
          text,
          options,
          toolCall: { ...PERMIT.toolCall, input, diff },
        });
        expect(JSON.stringify({ blocks, ...rest }).length).toBeLessThanOrEqual(LIMIT.message);
        expect(blocks.length).toBeLessThanOrEqual(LIMIT.blocks);
        for (const one of texts(blocks)) expect(one.length).toBeLessThanOrEqual(LIMIT.section);
        const buttons = blocks.at(-1)?.elements as { text: { text: string }; value: string }[];
        for (const one of buttons) {
          expect(one.text.text.length).toBeLessThanOrEqual(LIMIT.button);
          expect(one.text.text.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('the id of a block', () => {
  test('names the Question, and fits with the longest names', () => {
    const shown = { namespace: 'n'.repeat(63), name: 'q'.repeat(63), uid: '01234567-89ab-cdef-0123-456789abcdef' };
    expect(idOf(shown).length).toBeLessThanOrEqual(LIMIT.id);
    expect(shownBy(idOf(shown))).toEqual(shown);
  });

  test.each(['', 'question/a/b', 'question/../b/c', 'question/a/b/c/d', 'question/A/b/c', 'x/a/b/c'])(
    '%s is none',
    (id) => {
      expect(shownBy(id)).toBeUndefined();
    },
  );
});

describe('text', () => {
  const any = fc.string({ unit: 'binary', maxLength: 400 });

  test('comes back as it was after escaping', () => {
    fc.assert(fc.property(any, (text) => unescaped(escaped(text)) === text));
    expect(unescaped('&amp;lt;')).toBe('&lt;');
  });

  test('is never longer than its limit, nor cut within a character or an escape', () => {
    fc.assert(
      fc.property(any, fc.integer({ min: 40, max: 300 }), (text, limit) => {
        for (const { text: short } of [shortened(text, limit), fenced(text, limit), quoted(text, limit)]) {
          expect(short.length).toBeLessThanOrEqual(limit);
          expect(short).not.toMatch(/&(?!amp;|lt;|gt;)/);
        }
        expect(oneLine(text, limit).length).toBeLessThanOrEqual(limit);
      }),
    );
    expect(shortened('😀'.repeat(30), 40).text.isWellFormed()).toBe(true);
    expect(shortened('abc', 3)).toEqual({ text: 'abc', isWhole: true });
    expect(shortened('abcd', 3).isWhole).toBe(false);
  });
});
