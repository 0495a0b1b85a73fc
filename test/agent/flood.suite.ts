import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { dammed, MAX_MESSAGE, onlyMessages } from '../../agent/harness/flood.ts';
import { it } from './pod-test.ts';
import { script, setStage } from './stage.ts';

const MB = 1024 * 1024;

/** The most memory that the process has ever had, in bytes. */
function peakMemory(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** What comes through of `chunks`, and what is logged. */
async function through(chunks: Iterable<Buffer | string>) {
  const logged: string[] = [];
  const passed: Buffer[] = [];
  const out = new PassThrough();
  out.on('data', (data: Buffer) => passed.push(data));
  await pipeline(
    Readable.from(chunks, { objectMode: false }),
    onlyMessages((line) => void logged.push(line)),
    out,
  );
  return { logged, passed: Buffer.concat(passed).toString('utf8') };
}

test('messages come through as they are, however they are cut into pieces', async () => {
  const text = '{"a":1}\n{"b":"é"}\n{"torn":';
  const bytes = Buffer.from(text);
  for (let size = 1; size < bytes.length; size += 1) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    );
    expect(await through(pieces)).toEqual({ logged: [], passed: text });
  }
});

test('what an agent prints besides is logged, cut short, and no message', async () => {
  const { logged, passed } = await through(['hello\n\n{"a":1}\n[1]\n', `${'x'.repeat(9000)}\n{"b":2}\n`]);
  expect(passed).toBe('{"a":1}\n{"b":2}\n');
  expect(logged).toEqual(['agent: hello', 'agent: ', 'agent: [1]', `agent: ${'x'.repeat(500)}`]);
});

/** What is held of buffers, once what nobody holds is collected. */
function held(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().arrayBuffers;
}

test('a flood without an end of line is not kept in memory', async () => {
  let atEnd = Number.POSITIVE_INFINITY;
  function* flood() {
    for (let n = 0; n < 200; n += 1) yield Buffer.alloc(MB, 'x');
    atEnd = held();
    yield '\n{"a":1}\n';
  }
  const before = held();
  const { logged, passed } = await through(flood());
  expect(passed).toBe('{"a":1}\n');
  expect(logged).toHaveLength(1);
  expect(atEnd - before).toBeLessThan(40 * MB);
});

test('a message that is too long to be held is left out, and that is said', async () => {
  const chunk = Buffer.alloc(MB, 'x');
  function* long() {
    yield '{"long":"';
    for (let n = 0; n <= MAX_MESSAGE / MB; n += 1) yield chunk;
    yield '"}\n{"a":1}\n';
  }
  const { logged, passed } = await through(long());
  expect(passed).toBe('{"a":1}\n');
  expect(logged).toEqual([expect.stringContaining(`more than ${MAX_MESSAGE} bytes was left out`)]);
});

test('an agent that is read slowly is held up, not buffered', async () => {
  const gate = onlyMessages(() => {});
  let written = 0;
  while (gate.write(`{"a":"${'x'.repeat(60_000)}"}\n`)) written += 1;
  expect(written).toBeLessThan(10);
  gate.resume();
  await once(gate, 'drain');
});

test('of 100 MB in a minute a log takes a bounded part, and says how much it left out', () => {
  let now = 0;
  const logged: string[] = [];
  const log = dammed(
    (line) => void logged.push(line),
    () => now,
  );
  const line = 'x'.repeat(1000);
  for (let n = 0; n < 100_000; n += 1) log(line);
  expect(logged.join('\n').length).toBeLessThan(300_000);
  expect(logged.at(-1)).toContain('the rest of this minute is left out');
  now = 60_000;
  log('again');
  expect(logged.slice(-2)).toEqual([expect.stringMatching(/^99800000 characters .* left out/), 'again']);
});

const { podWith, stage } = setStage();

it('an agent that prints 100 MB, a line without an end and as much on its error output, works and costs little', async ({
  makePod,
}) => {
  const flood =
    "head -c 50000000 /dev/zero | tr '\\0' x; echo; head -c 37000000 /dev/zero | base64; head -c 37000000 /dev/zero | base64 >&2";
  const rehearse = `exec ${process.execPath} ${stage.programs}/rehearsal.cjs`;
  const agent = { name: 'flood', command: ['sh', '-c', `${flood}; ${rehearse}`] };
  const pod = await podWith(makePod, { agent, prompt: script({ say: 'dry again' }) }).start();
  expect(await pod.finished()).toMatchObject({ reason: 'Completed' });
  expect(pod.api.session().status?.result?.summary).toBe('dry again');
  expect(pod.log.length).toBeLessThan(2 * MB);
  expect(pod.log).toContain('left out');
  expect(peakMemory(pod.pid)).toBeLessThan(250 * MB);
});
