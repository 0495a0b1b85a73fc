import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { document, makeList, objectName } from '../../../cli/output/document.ts';
import { safeLine, safeLog, safeText } from '../../../cli/output/safe.ts';
import { makeStyle, wantsColour } from '../../../cli/output/style.ts';
import { fields, table } from '../../../cli/output/table.ts';
import { truncate, width } from '../../../cli/output/width.ts';
import { age, humanDuration, until } from '../../../lib/age.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('ages are told as by kubectl (duration.HumanDuration)', () => {
  it.each([
    [-2 * SECOND, '<invalid>'],
    [-SECOND, '0s'],
    [0, '0s'],
    [SECOND - 1, '0s'],
    [2 * MINUTE - 1, '119s'],
    [2 * MINUTE, '2m'],
    [2 * MINUTE + SECOND, '2m1s'],
    [10 * MINUTE - 1, '9m59s'],
    [10 * MINUTE + SECOND, '10m'],
    [3 * HOUR - 1, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + MINUTE, '3h1m'],
    [8 * HOUR + MINUTE, '8h'],
    [2 * DAY - 1, '47h'],
    [2 * DAY, '2d'],
    [2 * DAY + HOUR, '2d1h'],
    [8 * DAY + HOUR, '8d'],
    [2 * 365 * DAY - 1, '729d'],
    [2 * 365 * DAY, '2y'],
    [2 * 365 * DAY + DAY, '2y1d'],
    [8 * 365 * DAY + DAY, '8y'],
  ])('%i ms is %s', (milliseconds, told) => {
    expect(humanDuration(milliseconds)).toBe(told);
  });

  it('says <unknown> for what has no creation time', () => {
    expect(age(undefined, new Date())).toBe('<unknown>');
    expect(age('nonsense', new Date())).toBe('<unknown>');
  });

  it('says how long is left, and that nothing is', () => {
    const now = new Date('2026-01-01T00:00:00Z');
    expect(until('2026-01-01T00:05:00Z', now)).toBe('in 5m');
    expect(until('2025-12-31T23:59:59Z', now)).toBe('expired');
  });
});

describe('text from the cluster is harmless on a terminal', () => {
  it('shows escape sequences instead of obeying them', () => {
    expect(safeText('\u001b[2J\u001b]0;root\u0007')).toBe('␛[2J␛]0;root␇');
    expect(safeText('\u009b31m')).toBe('\\u{9b}31m');
  });

  it('shows a carriage return that would overwrite the line', () => {
    expect(safeText('rm -rf /\rls')).toBe('rm -rf /␍ls');
    expect(safeText('one\r\ntwo')).toBe('one\ntwo');
  });

  it('shows the marks that reorder or hide words', () => {
    expect(safeText('a\u202eb\u2066c\u200bd')).toBe('a\\u{202e}b\\u{2066}c\\u{200b}d');
    expect(safeText('a\u2028b')).toBe('a\\u{2028}b');
  });

  it.each([
    ['a soft hyphen', '\u00ad'],
    ['a tag', '\u{e0041}'],
    ['a Hangul filler', '\u3164'],
    ['another', '\u115f'],
    ['another', '\u1160'],
    ['a half-width one', '\uffa0'],
    ['an inherent vowel of Khmer', '\u17b4'],
    ['a blank of Braille', '\u2800'],
    ['an invisible plus', '\u2064'],
    ['a joiner outside of emoji', '\u200d'],
    ['a variation selector', '\ufe0f'],
    ['a selector of the supplement', '\u{e0100}'],
  ])('shows %s', (_, char) => {
    const code = char.codePointAt(0)?.toString(16);
    expect(safeText(`a${char}b`)).toBe(`a\\u{${code}}b`);
  });

  it('leaves joiners and selectors where they make an emoji', () => {
    for (const emoji of ['👩‍💻', '❤️', '👨‍👩‍👧', '🏳️‍🌈', '👍🏽', '1️⃣'])
      expect(safeText(`x ${emoji} y`)).toBe(`x ${emoji} y`);
  });

  it('leaves text of any script, emoji and tabs', () => {
    expect(safeText('שלום\tپ 👩‍💻 é\n')).toBe('שלום\tپ 👩‍💻 é\n');
  });

  it('puts a cell into one line', () => {
    expect(safeLine('  a\n\n\tb  ')).toBe('a b');
  });

  it('lets a log keep colours alone, ended with the line, and only where colours are wanted', () => {
    expect(safeLog('\u001b[32mok\u001b[2K', true)).toBe('\u001b[32mok␛[2K\u001b[0m');
    expect(safeLog('\u001b[32mok\u001b[0m', false)).toBe('ok');
  });
});

describe('a table', () => {
  const columns = [
    { heading: 'NAME', cell: ({ name }: { name: string; note?: string }) => name },
    { heading: 'NOTE', cell: ({ note }: { name: string; note?: string }) => note, shrink: true },
  ];

  it('parts columns by three spaces, and ends lines without any', () => {
    expect(table(columns, [{ name: 'a-long-name', note: 'x' }, { name: 'b' }])).toBe(
      'NAME          NOTE\na-long-name   x\nb             <none>\n',
    );
  });

  it('stays straight with wide characters and with colours', () => {
    const painted = columns.map((column) => ({ ...column, paint: (text: string) => `\u001b[31m${text}\u001b[0m` }));
    const text = table(painted, [
      { name: '日本', note: 'x' },
      { name: 'abcd', note: 'y' },
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are taken out to look at columns
    const lines = text.replace(/\u001b\[\d+m/g, '').split('\n');
    expect(lines).toEqual(['NAME   NOTE', '日本   x', 'abcd   y', '']);
  });

  it('cuts the last column to the terminal, and no other', () => {
    const row = { name: 'n'.repeat(30), note: 'word '.repeat(20) };
    const [, line = ''] = table(columns, [row], { columns: 60 }).split('\n');
    expect(width(line)).toBeLessThanOrEqual(60);
    expect(line).toMatch(/^n{30} {3}word.*…$/);
  });

  it('never lets a cell break the line or paint the screen', () => {
    expect(table(columns, [{ name: 'a', note: 'x\ny\u001b[2J' }])).toBe('NAME   NOTE\na      x y␛[2J\n');
  });
});

it('fields line up, and what is not known is left out', () => {
  expect(
    fields([
      ['Name', 'x'],
      ['Long label', 'a\nb'],
      ['None', undefined],
    ]),
  ).toBe('Name:        x\nLong label:  a\n             b\n');
});

it('truncates between graphemes', () => {
  expect(truncate('👩‍💻👩‍💻👩‍💻', 5)).toBe('👩‍💻👩‍💻…');
});

describe('documents', () => {
  const object = {
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Session',
    metadata: { name: 'x', managedFields: [{ manager: 'tiny' }] },
    spec: { prompt: 'yes\n\u001b[2J', message: 'a\u009b2J', title: 'b\u202ec', tag: 'c\u{e0041}d', emoji: '👩‍💻 ❤️' },
  };

  it('are without managedFields, and escape control characters', async () => {
    const json = await document(object, 'json');
    expect(JSON.parse(json).metadata).toEqual({ name: 'x' });
    const yaml = await document(makeList([object]), 'yaml');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no control character may be left
    for (const text of [json, yaml]) expect(text).not.toMatch(/[\u0000-\u0009\u007f-\u009f\u202e\u{e0041}]/u);
    expect(JSON.parse(json).spec).toEqual(object.spec);
    expect(parse(yaml).items[0].spec).toEqual(object.spec);
    expect(yaml).toContain('kind: List');
  });

  it('are named as kubectl names them', () => {
    expect(objectName(object)).toBe('session.tiny.dev/x');
    expect(objectName({ ...object, apiVersion: 'v1', kind: 'Pod' })).toBe('pod/x');
  });
});

it('colour is for a terminal, and never against NO_COLOR or --no-color', () => {
  expect(wantsColour({ terminal: true, flag: true })).toBe(true);
  expect(wantsColour({ terminal: false, flag: true })).toBe(false);
  expect(wantsColour({ terminal: true, flag: false })).toBe(false);
  expect(wantsColour({ terminal: true, flag: true, noColor: '1' })).toBe(false);
  expect(wantsColour({ terminal: true, flag: true, term: 'dumb' })).toBe(false);
  expect(makeStyle(false).red('x')).toBe('x');
});
