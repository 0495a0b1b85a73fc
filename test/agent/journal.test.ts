import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type JournalRecord, openJournal, progressOf } from '../../agent/harness/journal.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  file = join(folder, 'deep', 'journal.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const records: JournalRecord[] = [
  { type: 'cloned', branch: 'tiny/a', base: 'b' },
  { type: 'session', id: 'quote " and \u2028 and \0' },
  { type: 'prompt', turn: 1, from: 'prompt' },
];

it('reads back what was written', () => {
  const journal = openJournal(file);
  for (const one of records) journal.append(one);
  expect(journal.records).toEqual(records);
  expect(openJournal(file).records).toEqual(records);
});

it('passes over a torn last line, wherever it was torn, and goes on behind it', () => {
  const journal = openJournal(file);
  for (const one of records) journal.append(one);
  const whole = readFileSync(file);
  const lastStart = whole.lastIndexOf('\n', whole.length - 2) + 1;
  for (let size = lastStart; size < whole.length - 1; size += 1) {
    writeFileSync(file, whole);
    truncateSync(file, size);
    openJournal(file).append({ type: 'stopped' });
    expect(openJournal(file).records, `cut at ${size}`).toEqual([...records.slice(0, 2), { type: 'stopped' }]);
  }
});

it('keeps a last line that only lacks its end', () => {
  openJournal(file).append({ type: 'stopped' });
  truncateSync(file, readFileSync(file).length - 1);
  openJournal(file).append({ type: 'reopened' });
  expect(openJournal(file).records).toEqual([{ type: 'stopped' }, { type: 'reopened' }]);
});

it('passes over NUL bytes and what a later version wrote', () => {
  openJournal(file).append({ type: 'stopped' });
  appendFileSync(file, `${'\0'.repeat(512)}\n{"type":"of the future"}\n\0\0{"type":"reopened"}\n`);
  expect(openJournal(file).records).toEqual([{ type: 'stopped' }, { type: 'reopened' }]);
});

it('remembers answers by content', () => {
  const progress = progressOf([
    { type: 'decided', content: 'a', allowed: true, always: true },
    { type: 'decided', content: 'b', allowed: false, always: false },
    { type: 'decided', content: 'b', allowed: false, always: true },
  ]);
  expect(progress.always).toEqual(
    new Map([
      ['a', true],
      ['b', false],
    ]),
  );
  expect(progress.delivered).toEqual(
    new Map([
      ['a', 1],
      ['b', 2],
    ]),
  );
});
