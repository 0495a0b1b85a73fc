import { describe, expect, it } from 'vitest';
import { MAX_MESSAGES, MAX_NAME_LENGTH, MAX_TEXT } from '../../../cli/limits.ts';
import { bareName, makeName } from '../../../cli/session/name.ts';
import { didYouMean, near } from '../../../cli/text/near.ts';
import { invalidUtf8At } from '../../../cli/text/utf8.ts';
import { answer } from '../../../lib/api/question.ts';
import { violations } from '../../../lib/api/rule.ts';
import { MAX_NAME, type Session, sessionSpec } from '../../../lib/api/session.ts';
import { sessionRules } from '../../../lib/api/session-rules.ts';

describe('text from outside is UTF-8 or refused with the place', () => {
  it.each([
    ['plain', Buffer.from('abc')],
    ['emoji, right-to-left, NUL and U+FFFD itself', Buffer.from('😀שלום\0\ufffd\u2028')],
    ['a byte order mark', Buffer.from('\ufeffabc')],
    ['nothing', Buffer.alloc(0)],
  ])('%s is taken', (_, bytes) => {
    expect(invalidUtf8At(bytes)).toBeUndefined();
  });

  it.each([
    ['a lone byte', [0x61, 0xff, 0x62], 1],
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9, 0x20, 0x21], 3],
    ['a surrogate', [0x61, 0xed, 0xa0, 0x80], 1],
    ['a character cut at the end', [0x61, 0xf0, 0x9f, 0x98], 1],
  ])('%s is found', (_, bytes, at) => {
    const found = invalidUtf8At(Uint8Array.from(bytes as number[]));
    expect(found).toBeGreaterThanOrEqual(at as number);
    expect(found).toBeLessThan((bytes as number[]).length);
  });
});

describe('near names', () => {
  it('finds a slip and a beginning, nothing far', () => {
    expect(near('refactr', ['refactor', 'other'])).toEqual(['refactor']);
    expect(near('ref', ['refactor-login', 'other'])).toEqual(['refactor-login']);
    expect(didYouMean('zzz', ['refactor'])).toBe('');
  });
});

describe('a name made from a prompt', () => {
  const bytes = Uint8Array.from([1, 2, 3, 4, 5]);
  it.each([
    'Fix the flaky login test, please',
    'Ü',
    '修复测试',
    '',
    '-- --',
    'x'.repeat(500),
    `${'a'.repeat(33)} b`,
    '$(rm -rf /)',
  ])('is one that the cluster takes: %j', (prompt) => {
    const name = makeName(prompt, bytes);
    const object = { metadata: { name }, spec: undefined } as unknown as Session;
    expect(violations(sessionRules, object)).toEqual([]);
    expect(name).toMatch(/-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  it('says what it is about', () => {
    expect(makeName('Fix the flaky login test, please', bytes)).toBe('fix-the-flaky-login-cdfgh');
  });

  it('has the limit of the resource', () => {
    expect(MAX_NAME_LENGTH).toBe(MAX_NAME);
    const { messages } = sessionSpec.shape;
    const many = (count: number, size: number) =>
      Array.from({ length: count }, (_, index) => ({ id: `m-${index}`, text: 'x'.repeat(size) }));
    expect(messages.safeParse(many(MAX_MESSAGES, 1)).success).toBe(true);
    expect(messages.safeParse(many(MAX_MESSAGES + 1, 1)).success).toBe(false);
    expect(messages.safeParse(many(1, MAX_TEXT)).success).toBe(true);
    expect(messages.safeParse(many(1, MAX_TEXT + 1)).success).toBe(false);
    expect(answer.safeParse({ text: 'x'.repeat(MAX_TEXT) }).success).toBe(true);
    expect(answer.safeParse({ text: 'x'.repeat(MAX_TEXT + 1) }).success).toBe(false);
  });

  it('is taken from what -o name prints', () => {
    expect(bareName('session.tiny.dev/x')).toBe('x');
    expect(bareName('questions/x')).toBe('x');
    expect(bareName('x')).toBe('x');
  });
});
