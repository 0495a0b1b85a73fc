import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { overBudget } from '../../../agent/harness/budget.ts';
import { openJournal, progressOf } from '../../../agent/harness/journal.ts';
import { next } from '../../../agent/harness/next.ts';
import { usageOf } from '../../../agent/harness/usage.ts';
import { printArchive, tarOf } from '../../../agent/reader/archive.ts';
import { copySession } from '../../../agent/reader/copy.ts';
import { loadArchive } from '../../../agent/reader/load.ts';
import { makePrinter } from '../../../agent/reader/printer.ts';
import { printTranscript } from '../../../agent/reader/transcript.ts';
import { parseTrailer } from '../../../lib/api/reading.ts';
import { parseEntry } from '../../../lib/api/transcript.ts';
import { MANIFEST, type Manifest } from '../../../lib/archive/layout.ts';
import { paddingOf, TAR_END, type TarEntry, tarHeader } from '../../../lib/archive/tar-write.ts';

const LONG = `${'deep/'.repeat(30)}file`;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'volume-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

function put(volume: string, path: string, text: string): void {
  mkdirSync(dirname(join(volume, path)), { recursive: true });
  writeFileSync(join(volume, path), text);
}

const usd = (amount: string) => ({ amount, currency: 'USD' });

const note = (seq: number) => JSON.stringify({ v: 1, seq, at: '2026-11-30T12:00:00Z', type: 'note', text: `n ${seq}` });

/** The volume of a Session that has had a turn. */
function volume(): string {
  const made = folder();
  put(made, 'repo/repo/a.txt', 'hello\n');
  put(made, `repo/repo/${LONG}`, 'long');
  put(made, 'repo/repo/run.sh', '#!/bin/sh\n');
  chmodSync(join(made, 'repo/repo/run.sh'), 0o755);
  symlinkSync('a.txt', join(made, 'repo/repo/link'));
  symlinkSync('/etc/passwd', join(made, 'repo/repo/outside'));
  symlinkSync('../../../state/u1/journal.jsonl', join(made, 'repo/repo/upwards'));
  put(made, 'home/.rehearsal/c1.json', '{}');
  for (const secret of ['.netrc', '.ssh/id_ed25519', '.claude/.credentials.json', '.cache/big'])
    put(made, `home/${secret}`, 'sk');
  const journal = openJournal(join(made, 'state/u1/journal.jsonl'));
  journal.append({ type: 'session', id: 'c1' });
  journal.append({ type: 'prompt', turn: 1, from: 'prompt' });
  journal.append({ type: 'ended', turn: 1, at: 1, stopReason: 'end_turn', summary: 'all done', cost: usd('4') });
  journal.append({ type: 'finished', reason: 'Completed', message: 'done' });
  put(made, 'state/u1/lock', 'x');
  put(made, 'state/u1/transcript/0000000001.jsonl', `${note(1)}\n${note(2)}\n{"v":1,"se\0\0`);
  return made;
}

const manifest: Manifest = {
  format: 'tiny.dev/session-archive',
  version: 1,
  session: { name: 'old', uid: 'u1' },
  at: '2026-11-30T12:00:00Z',
  spec: { agent: { name: 'rehearsal' } },
};

function file(path: string, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([
    tarHeader({ path, type: 'file', mode: 0o644, size: bytes.length }),
    bytes,
    paddingOf(bytes.length),
  ]);
}

const start = () => file(MANIFEST, JSON.stringify(manifest));
const archive = (from: string) =>
  Buffer.concat([gzipSync(start()), gzipSync(Buffer.concat([...tarOf({ volume: from, uid: 'u1' })]))]);
const load = (bytes: Buffer, to: string) => loadArchive(Readable.from([bytes]), { volume: to, uid: 'u2' });

async function printed(work: (printer: ReturnType<typeof makePrinter>) => Promise<void>) {
  const output = new PassThrough();
  const text = output.toArray();
  const printer = makePrinter(output);
  await work(printer);
  await printer.end();
  output.end();
  return Buffer.concat(await text)
    .toString()
    .trimEnd()
    .split('\n');
}

const there = (at: string) => (readdirSync(at, { recursive: true }) as string[]).sort();

function goesOn(to: string) {
  expect(readFileSync(join(to, 'repo/repo/a.txt'), 'utf8')).toBe('hello\n');
  expect(readFileSync(join(to, 'repo/repo', LONG), 'utf8')).toBe('long');
  expect(lstatSync(join(to, 'repo/repo/run.sh')).mode & 0o777).toBe(0o755);
  expect(readlinkSync(join(to, 'repo/repo/link'))).toBe('a.txt');
  expect(there(join(to, 'repo/repo'))).not.toContain('outside');
  expect(there(join(to, 'repo/repo'))).not.toContain('upwards');
  expect(there(join(to, 'home')).filter((path) => lstatSync(join(to, 'home', path)).isFile())).toEqual([
    '.rehearsal/c1.json',
  ]);
  const { records } = openJournal(join(to, 'state/u2/journal.jsonl'));
  const progress = progressOf(records);
  expect(progress).toMatchObject({ agentSession: 'c1', sessionKept: true, prompted: false });
  expect(progress.finished).toBeUndefined();
  expect(progress.turns).toBe(0);
  expect(
    overBudget({ cost: usd('1') }, progress, progress.budget.raised),
    'asked about a use that is none',
  ).toBeUndefined();
  const first = { type: 'ended', turn: 1, at: 1, stopReason: 'end_turn', summary: '', cost: usd('4.5') } as const;
  expect(usageOf(progressOf([...records, first]).spent, 1).cost).toEqual(usd('0.5'));
  const entries = readdirSync(join(to, 'state/u2/transcript'))
    .sort()
    .flatMap((name) => readFileSync(join(to, 'state/u2/transcript', name), 'utf8').split('\n'))
    .flatMap((line) => parseEntry(line) ?? []);
  expect(entries.map(({ seq, type }) => [seq, type])).toEqual([
    [1, 'note'],
    [2, 'note'],
    [3, 'imported'],
  ]);
}

describe('what a reader prints', () => {
  it('is the transcript without what a kill has torn, and how much that was', async () => {
    const from = volume();
    const lines = await printed((printer) => printTranscript({ volume: from, uid: 'u1' }, printer));
    expect(lines.slice(0, -1)).toEqual([note(1), note(2)]);
    const sha256 = createHash('sha256')
      .update(`${note(1)}\n${note(2)}\n`)
      .digest('hex');
    expect(parseTrailer(lines.at(-1) ?? '')).toEqual({ tiny: 'end', lines: 2, sha256 });
  });

  it('is nothing where there is no transcript', async () => {
    const from = folder();
    expect(await printed((printer) => printTranscript({ volume: from, uid: 'u1' }, printer))).toHaveLength(1);
  });

  it('is nothing that an agent has put in the place of a transcript', async () => {
    const from = volume();
    put(from, 'tools/u1/pushed.jsonl', `${note(3)}\n`);
    const place = join(from, 'state/u1/transcript');
    symlinkSync('../../../tools/u1/pushed.jsonl', join(place, '0000000003.jsonl'));
    execFileSync('mkfifo', [join(place, '0000000004.jsonl')]);
    const lines = await printed((printer) => printTranscript({ volume: from, uid: 'u1' }, printer));
    expect(lines.slice(0, -1)).toEqual([note(1), note(2)]);
  });

  it('is an archive as lines of base64, none longer than a runtime keeps whole', async () => {
    const from = volume();
    put(
      from,
      'repo/repo/noise',
      Buffer.from(Array.from({ length: 60_000 }, (_, i) => (i * 7919) % 251)).toString('latin1'),
    );
    const lines = (await printed((printer) => printArchive({ volume: from, uid: 'u1' }, printer))).slice(0, -1);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(16_384);
    const bytes = Buffer.concat(lines.map((line) => Buffer.from(line, 'base64')));
    expect(gunzipSync(bytes).equals(Buffer.concat([...tarOf({ volume: from, uid: 'u1' })]))).toBe(true);
  });
});

describe('a Session that goes on from another', () => {
  it.each(['old\u001b[2Jevil', 'old\u202e', ''])('is told of no name that is none: %j', async (name) => {
    const told = { ...manifest, session: { name, uid: 'u1' } };
    const bytes = gzipSync(file(MANIFEST, JSON.stringify(told)));
    await expect(load(bytes, folder())).rejects.toThrow('is not what tiny writes');
  });

  it('has clone, home and conversation from an archive, and nothing that proves who somebody is', async () => {
    const to = folder();
    await load(archive(volume()), to);
    goesOn(to);
  });

  it('has the same from another volume', async () => {
    const to = folder();
    await copySession({ volume: volume(), uid: 'u1', name: 'old' }, { volume: to, uid: 'u2' });
    goesOn(to);
  });

  it('says its prompt into the conversation, once', async () => {
    const to = folder();
    await load(archive(volume()), to);
    const { records } = openJournal(join(to, 'state/u2/journal.jsonl'));
    const progress = progressOf(records);
    const view = { now: 10, hasRepository: false, messages: 0, read: 0, finishAfterMs: 0, deadlineAt: undefined };
    expect(next(progress, view as never)).toEqual({ do: 'prompt', turn: 1, from: 'prompt' });
  });

  it('is not put over one that has begun', async () => {
    const to = volume();
    mkdirSync(join(to, 'state/u2'));
    await expect(load(archive(volume()), to)).rejects.toThrow('has begun already');
  });
});

describe('an archive from elsewhere is refused', () => {
  const made = (...parts: Buffer[]) => gzipSync(Buffer.concat([start(), ...parts, TAR_END]));
  const entry = (more: Partial<TarEntry>): Buffer =>
    tarHeader({ path: 'workspace/x', type: 'file', mode: 0o644, size: 0, ...more });
  const raw = (flag: string) => {
    const header = Buffer.from(entry({}));
    header.write(flag, 156);
    header.write(' '.repeat(8), 148);
    header.write(
      `${header
        .reduce((all, byte) => all + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    return header;
  };
  const cases: [string, () => Buffer, RegExp][] = [
    ['that climbs out of its folder', () => made(file('workspace/../../evil', 'x')), /leads elsewhere/],
    ['with an absolute path', () => made(file('/etc/evil', 'x')), /leads elsewhere/],
    [
      'with a long path that climbs out',
      () => made(file(`workspace/${'a/'.repeat(80)}../../x`, 'x')),
      /leads elsewhere/,
    ],
    ['with a link to elsewhere', () => made(entry({ type: 'link', target: '/etc/passwd' })), /points elsewhere/],
    ['with a link that climbs out', () => made(entry({ type: 'link', target: '../../state' })), /points elsewhere/],
    ['with a part that is none of a Session', () => made(file('tools/token', 'x')), /no part of a Session/],
    ['with a hard link', () => made(raw('1')), /kind of entry/],
    ['with a device', () => made(raw('3')), /kind of entry/],
    ['whose header is broken', () => made(Buffer.alloc(512, 'x')), /header/],
    ['that is too large', () => made(entry({ size: 8 ** 11 - 1 })), /ends early|larger/],
    ['that is cut', () => gzipSync(gunzipSync(archive(volume())).subarray(0, 3000)), /cut|ends early/],
    ['without its end', () => made(file('workspace/a', 'x')), /cut/],
    ['of something else', () => gzipSync(Buffer.concat([file('README', 'x'), TAR_END])), /none of a Session/],
    [
      'in which a byte was changed',
      () => {
        const tar = gunzipSync(archive(volume()));
        tar[tar.indexOf('hello\n')] = 'j'.charCodeAt(0);
        return gzipSync(tar);
      },
      /checksum is wrong/,
    ],
    [
      'from which an entry was taken',
      () => {
        const tar = gunzipSync(archive(volume()));
        const at = tar.indexOf('home\0') < 0 ? tar.indexOf('home/\0') : tar.indexOf('home\0');
        return gzipSync(Buffer.concat([tar.subarray(0, at), tar.subarray(at + 512)]));
      },
      /checksum is wrong/,
    ],
  ];

  it.each(cases)('%s', async (_, make, why) => {
    const to = folder();
    await expect(load(make(), to)).rejects.toThrow(why);
    expect(existsSync(join(to, 'state/u2/journal.jsonl'))).toBe(false);
    expect(there(to).filter((path) => !/^(repo|home|state)/.test(path))).toEqual([]);
  });
});
