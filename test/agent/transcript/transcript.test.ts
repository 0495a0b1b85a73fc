import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as acp from '@agentclientprotocol/sdk';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../../../agent/transcript/store.ts';
import { openTranscript } from '../../../agent/transcript/transcript.ts';
import { type Entry, parseEntry } from '../../../lib/api/transcript.ts';

const AT = new Date('2026-11-30T12:00:00Z');

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'transcript-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

function begin(path: string | undefined = undefined, secrets: string[] = []) {
  const lines: string[] = [];
  const store = path === undefined ? undefined : openStore(path, { fileBytes: 2000, files: 3 });
  const transcript = openTranscript({ store, print: (line) => lines.push(line), now: () => AT, secrets });
  const entries = () => lines.map((line) => parseEntry(line) as Entry);
  const said = () => entries().map(({ v: _, seq: __, at: ___, ...draft }) => draft);
  const prompt = (turn = 1) =>
    transcript.tell({ type: 'prompt', turn, from: 'prompt', text: { text: 'Fix it', characters: 6 } });
  return { transcript, lines, entries, said, prompt };
}

const chunk = (text: string): acp.SessionUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
});
const call = (more: object): acp.SessionUpdate => ({ sessionUpdate: 'tool_call_update', toolCallId: '1', ...more });
const end = { type: 'ended', turn: 1, stop: 'end_turn' } as const;

describe('the transcript', () => {
  it('makes one entry of a message that comes in pieces', () => {
    const { transcript, said, prompt } = begin();
    prompt();
    for (const text of ['Hel', 'lo, ', 'world']) transcript.update(chunk(text));
    transcript.tell(end);
    expect(said().slice(1)).toEqual([{ type: 'message', text: 'Hello, world' }, end]);
  });

  it('tells a message that is long in coming within a second, and goes on with it', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { transcript, said, prompt } = begin();
    prompt();
    transcript.update(chunk('one '));
    vi.advanceTimersByTime(1000);
    transcript.update(chunk('two'));
    transcript.tell(end);
    expect(said().slice(1, 3)).toEqual([
      { type: 'message', text: 'one ' },
      { type: 'message', text: 'two', continues: true },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('tells of a tool call twice, however often the agent does', () => {
    const { transcript, said, prompt } = begin();
    prompt();
    transcript.update({
      sessionUpdate: 'tool_call',
      toolCallId: '1',
      title: 'Bash',
      kind: 'execute',
      status: 'pending',
    });
    transcript.update(call({ title: 'npm test', rawInput: { command: 'npm test' }, status: 'in_progress' }));
    for (const text of ['o', 'ok', 'ok\n']) {
      transcript.update(call({ content: [{ type: 'content', content: { type: 'text', text } }] }));
    }
    transcript.update(call({ status: 'completed' }));
    expect(said().slice(1)).toEqual([
      {
        type: 'call',
        id: '1',
        title: 'npm test',
        kind: 'execute',
        input: { text: '{"command":"npm test"}', characters: 22 },
      },
      { type: 'result', id: '1', title: 'npm test', status: 'completed', output: { text: 'ok\n', characters: 3 } },
    ]);
  });

  it('cuts a large output in its middle, and tells its size', () => {
    const { transcript, said, prompt } = begin();
    prompt();
    transcript.update(call({ title: 'cat', status: 'failed', rawOutput: `a${'x'.repeat(20_000_000)}z` }));
    const result = said().at(-1);
    expect(result).toMatchObject({ status: 'failed', output: { characters: 20_000_002 } });
    const { text = '' } = (result as { output?: { text: string } }).output ?? {};
    expect(text.length).toBeLessThan(17_000);
    expect([text.at(0), text.at(-1)]).toEqual(['a', 'z']);
  });

  it('does not tell again what the agent replays outside of a turn', () => {
    const { transcript, said, prompt } = begin();
    transcript.update(chunk('of yesterday'));
    prompt();
    transcript.tell(end);
    transcript.update(chunk('of yesterday'));
    transcript.close();
    expect(said().map(({ type }) => type)).toEqual(['prompt', 'ended']);
  });

  it('takes a secret out, also where chunks part it and where a cut would', () => {
    const secret = 'sk-0123456789abcdef';
    const { transcript, lines, prompt } = begin(undefined, [secret]);
    prompt();
    for (const text of ['the key is sk-01234', '56789abc', 'def, see']) transcript.update(chunk(text));
    transcript.update(call({ title: `echo ${secret}`, rawInput: { key: secret }, status: 'pending' }));
    transcript.update(call({ status: 'completed', rawOutput: `${'x'.repeat(12_280)}${secret}${'y'.repeat(20_000)}` }));
    transcript.note(`agent: ${secret}`);
    const all = lines.join('\n');
    expect(all).toContain('the key is [secret], see');
    expect(all).not.toMatch(/sk-0|89abcdef/);
  });

  it('bounds what a turn that floods adds, says how much it left out, and still tells how it ended', () => {
    const { transcript, said, prompt } = begin();
    prompt();
    const megabyte = 'x'.repeat(1024 * 1024);
    for (let count = 0; count < 100; count += 1) transcript.update(chunk(megabyte));
    transcript.tell(end);
    const told = said();
    expect(told.reduce((sum, one) => sum + JSON.stringify(one).length, 0)).toBeLessThan(5 * 1024 * 1024);
    expect(told.slice(-2)).toMatchObject([{ type: 'dropped' }, end]);
    prompt(2);
    transcript.update(chunk('again'));
    transcript.close();
    expect(said().at(-1)).toEqual({ type: 'message', text: 'again' });
  });
});

describe('the transcript on the volume', () => {
  it('goes on counting after a kill that tore its last line, and prints what was before once more', () => {
    const path = folder();
    const first = begin(path);
    first.transcript.note('one');
    first.transcript.note('two');
    appendFileSync(join(path, readdirSync(path)[0] ?? ''), '{"v":1,"seq":3,"at":"20\0\0\0');
    const second = begin(path);
    second.transcript.note('three');
    expect(second.entries().map(({ seq, ...one }) => [seq, 'text' in one && one.text])).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ]);
    expect(begin(path).entries()).toHaveLength(3);
  });

  it('keeps how it began and what came last', () => {
    const path = folder();
    const { transcript } = begin(path);
    for (let count = 1; count <= 100; count += 1) transcript.note(`${count} ${'x'.repeat(200)}`);
    const files = readdirSync(path).sort();
    expect(files).toHaveLength(3);
    const seqs = files.flatMap((name) =>
      readFileSync(join(path, name), 'utf8')
        .split('\n')
        .flatMap((line) => parseEntry(line)?.seq ?? []),
    );
    expect([seqs[0], seqs.at(-1)]).toEqual([1, 100]);
    expect(seqs.length).toBeLessThan(30);
  });

  it('says on standard output that the volume is full, once, and goes on', () => {
    const lines: string[] = [];
    const append = () => {
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    };
    const store = { lastSeq: 7, append, tail: () => [] };
    const transcript = openTranscript({ store, print: (line) => lines.push(line), now: () => AT, secrets: [] });
    transcript.note('one');
    transcript.note('two');
    expect(lines.map((line) => (parseEntry(line) as { text?: string }).text)).toEqual([
      'one',
      expect.stringContaining('could not be written'),
      'two',
    ]);
  });
});

describe('a line of a transcript', () => {
  it.each([
    ['torn', '{"v":1,"seq":3,"at":"20'],
    ['of something else', 'npm warn'],
    ['JSON of something else', '{"level":30,"msg":"hi"}'],
    ['too long', `{"v":1,"seq":1,"at":"x","type":"note","text":"${'x'.repeat(2_000_000)}"}`],
    ['of another form', '{"v":2,"seq":1,"at":"x","type":"note","text":"x"}'],
  ])('that is %s is none', (_, line) => expect(parseEntry(line)).toBeUndefined());

  it('with NUL bytes of a power cut around it is read, and one of a later type counts', () => {
    expect(parseEntry('\0\0{"v":1,"seq":3,"at":"x","type":"note","text":"a"}\0')).toMatchObject({ seq: 3, text: 'a' });
    expect(parseEntry('{"v":1,"seq":4,"at":"x","type":"dance"}')).toMatchObject({ seq: 4, type: 'unknown' });
  });
});
