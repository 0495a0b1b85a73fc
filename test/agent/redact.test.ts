/** Values of Secrets are found in each spelling that tools print, over chunk borders, and nothing else is touched. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRedactor, makeStreamRedactor, REDACTED, redactDeep, SHORTEST } from '../../agent/redact.ts';

const TOKEN = 'ghp_Abc/dEf+123"4 5';

describe('makeRedactor', () => {
  it.each([
    ['plain', TOKEN],
    ['JSON', JSON.stringify(TOKEN).slice(1, -1)],
    ['URL', encodeURIComponent(TOKEN)],
    ['lower-case URL', encodeURIComponent(TOKEN).replaceAll(/%../g, (code) => code.toLowerCase())],
    ['form', encodeURIComponent(TOKEN).replaceAll('%20', '+')],
  ])('takes a value out as %s', (_name, spelled) => {
    expect(makeRedactor([TOKEN])(`a ${spelled} b`)).toBe(`a ${REDACTED} b`);
  });

  it.each(['', 'x', 'xy', 'xyz', 'git:', 'x-access-token:'])(
    'takes a value out of the base64 of %j and it',
    (before) => {
      const header = Buffer.from(`${before}${TOKEN}`).toString('base64');
      const left = makeRedactor([TOKEN])(header);
      expect(left).toContain(REDACTED);
      expect(Buffer.from(left.replace(REDACTED, ''), 'base64').toString('latin1')).not.toContain(TOKEN.slice(0, 4));
    },
  );

  it('takes each line of a key out, but not its armour', () => {
    const key =
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nQyNTUxOQAAACBy\n-----END OPENSSH PRIVATE KEY-----\n';
    const redact = makeRedactor([key]);
    expect(redact('+b3BlbnNzaC1rZXktdjEAAAAA')).toBe(`+${REDACTED}`);
    expect(redact('-----BEGIN OPENSSH PRIVATE KEY-----')).toBe('-----BEGIN OPENSSH PRIVATE KEY-----');
  });

  it('leaves no rest of two values that overlap', () => {
    expect(makeRedactor(['abcdefgh', 'efghijkl'])('<abcdefghijkl>')).toBe(`<${REDACTED}>`);
  });

  it('leaves short values, which stand in text for other reasons', () => {
    expect(makeRedactor(['true', '', 'admin'])('true for admin')).toBe('true for admin');
  });

  it('forgets the line end that a file ends with', () => {
    expect(makeRedactor(['hunter2-hunter2\n'])('pw=hunter2-hunter2;')).toBe(`pw=${REDACTED};`);
  });

  it('makes no text longer, whose length may have a limit', () => {
    expect(REDACTED.length).toBeLessThanOrEqual(SHORTEST);
  });

  it('bears half a surrogate pair', () => {
    expect(makeRedactor(['secret-\ud800-x'])('secret-\ud800-x')).toBe(REDACTED);
  });
});

describe('makeStreamRedactor', () => {
  it('holds back no more than the beginning of a value', () => {
    const stream = makeStreamRedactor(['hunter2-hunter2']);
    expect(stream.push('hello hunt')).toBe('hello ');
    expect(stream.push('ing\n')).toBe('hunting\n');
    expect(stream.push('hunter2-')).toBe('');
    expect(stream.push('hunter2')).toBe(REDACTED);
    expect(stream.end()).toBe('');
  });

  it('prints what the whole text gives, however it is cut', () => {
    const secrets = ['abcabcabc', 'cabcabca', 'hunter2-hunter2'];
    const piece = fc.constantFrom(
      'abc',
      'a',
      'ca',
      'hunter2-',
      'hunter2',
      ' ',
      'x',
      Buffer.from('hunter2-hunter2').toString('base64'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (chunks) => {
        const stream = makeStreamRedactor(secrets);
        const out = chunks.map((chunk) => stream.push(chunk)).join('') + stream.end();
        expect(out).toBe(makeRedactor(secrets)(chunks.join('')));
      }),
      { numRuns: 200 },
    );
  });
});

describe('redactDeep', () => {
  it('goes into lists and objects, keys too, and leaves numbers', () => {
    const redact = makeRedactor(['hunter2-hunter2']);
    expect(redactDeep({ 'hunter2-hunter2': [1, { a: 'x hunter2-hunter2' }], n: null }, redact)).toEqual({
      [REDACTED]: [1, { a: `x ${REDACTED}` }],
      n: null,
    });
  });
});
