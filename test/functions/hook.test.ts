import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../build/bundle.ts';
import { startProgram } from '../../build/program.ts';
import { pressBody, signedBySlack } from '../../build/slack-press.ts';
import { slackEnv } from '../../build/slack-stage.ts';
import { linesOf, mounted } from '../../functions/files.ts';
import { type Handler, makeHook, makeLater } from '../../functions/hook.ts';
import type { Called } from '../../lib/called.ts';
import { listen } from '../../local/functions/port.ts';

const ROOT = join(import.meta.dirname, '../..');
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tiny-hook-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

let hooks = 0;

async function served(handler: Handler) {
  const logged: string[] = [];
  const log = { ...quiet, error: (...all: unknown[]) => void logged.push(JSON.stringify(all)) };
  const server = makeHook(handler, { name: `hook-${++hooks}`, log, maxBytes: 1000 });
  onTestFinished(() => void server.close());
  const port = await listen(server);
  const send = (body: string | Buffer, headers: Record<string, string> = {}, path = '/a') =>
    new Promise<{ status: number; text: string; type: string | undefined }>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', method: 'POST', path, headers, agent: false }, async (answer) => {
        let text = '';
        for await (const chunk of answer) text += chunk;
        resolve({ status: answer.statusCode ?? 0, text, type: answer.headers['content-type'] });
      });
      sent.once('error', reject).end(body);
    });
  return { send, logged };
}

describe('a function that others call', () => {
  test.each(['application/x-www-form-urlencoded', 'application/json', 'text/plain; charset=koi8-r'])(
    'gets the body byte for byte, whatever it claims to be: %s',
    async (type) => {
      const body = Buffer.from([0xff, 0x00, 0x26, 0x3d, 0x7b, 0x0d, 0x0a]);
      const calls: Called[] = [];
      const { send } = await served(async (called) => {
        calls.push(called);
        return { status: 200 };
      });
      expect(
        await send(body, { 'content-type': type, 'content-encoding': 'gzip', 'X-Slack-Signature': 'v0=1' }, '/x/y?z'),
      ).toMatchObject({ status: 200, text: '' });
      const [called] = calls;
      expect(called?.body.equals(body)).toBe(true);
      expect(called).toMatchObject({ method: 'POST', path: '/x/y' });
      expect(called?.headers).toMatchObject({ 'content-type': type, 'x-slack-signature': 'v0=1' });
    },
  );

  test('reads no more than it takes', async () => {
    let called = false;
    const { send } = await served(async () => {
      called = true;
      return { status: 200 };
    });
    const answer = await send('x'.repeat(1024 * 1024)).catch(() => ({ status: 413 }));
    expect(answer.status).toBe(413);
    expect(called).toBe(false);
  });

  test('answers with text or JSON', async () => {
    const { send } = await served(async ({ path }) => ({ status: 200, body: path === '/a' ? 'words' : { a: 1 } }));
    expect(await send('')).toMatchObject({ text: 'words', type: expect.stringContaining('text/plain') });
    expect(await send('', {}, '/b')).toMatchObject({
      text: '{"a":1}',
      type: expect.stringContaining('application/json'),
    });
  });

  test('answers 500 to what nobody expected, and logs its name alone', async () => {
    const { send, logged } = await served(async () => {
      throw new TypeError('hunter2');
    });
    expect(await send('hunter2')).toMatchObject({ status: 500, text: '' });
    expect(logged.join()).toContain('TypeError');
    expect(logged.join()).not.toContain('hunter2');
  });
});

test('work that outlasts its answer is waited for, also what it starts, and its failure ends nothing', async () => {
  const { later, settled } = makeLater(quiet);
  const { promise: first, resolve: end } = Promise.withResolvers<void>();
  let done = 0;
  later(
    first.then(() => {
      later(Promise.resolve().then(() => void done++));
      done++;
    }),
  );
  later(Promise.reject(new Error('x')));
  const ended = settled().then(() => done);
  end();
  expect(await ended).toBe(2);
});

describe('a mounted file', () => {
  test('is read anew once it has changed, and made something of once', () => {
    const folder = temporary();
    let parsed = 0;
    const read = mounted(folder, 'f', (text) => {
      parsed++;
      return linesOf(text);
    });
    expect(read()).toEqual([]);
    writeFileSync(join(folder, 'f.new'), ' new \n\nold\n');
    renameSync(join(folder, 'f.new'), join(folder, 'f'));
    expect(read()).toEqual(['new', 'old']);
    expect(read()).toEqual(['new', 'old']);
    expect(parsed).toBe(2);
  });

  test('that is unusable is so until it is mended', () => {
    const folder = temporary();
    writeFileSync(join(folder, 'f'), '{');
    const read = mounted(folder, 'f', JSON.parse);
    expect(read).toThrow();
    expect(read).toThrow();
    writeFileSync(join(folder, 'f'), '{"a":1}');
    expect(read()).toEqual({ a: 1 });
  });
});

test('function slack as it is bundled: woken by anybody, heeds what is signed, and acknowledges though nothing else is there', async () => {
  await bundle(ROOT);
  const folder = temporary();
  writeFileSync(join(folder, 'ca.crt'), 'never read: no API server is asked');
  writeFileSync(join(folder, 'token'), 'x');
  const program = await startProgram([join(ROOT, 'dist/functions/slack.cjs')], {
    ...slackEnv(folder),
    ...{
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: '9',
      TINY_CREDENTIALS: folder,
      LOG_LEVEL: 'silent',
    },
  });
  try {
    const body = pressBody({ user: 'U0000009', block: 'question/a/b/c', option: 'allow' });
    const signed = signedBySlack(body, Math.floor(Date.now() / 1000));
    expect(await program.ask({ headers: {}, body })).toBe(401);
    expect(await program.ask({ headers: signed.headers, body: `${body}&` })).toBe(401);
    expect(await program.ask({ headers: signed.headers, body })).toBe(200);
    expect(await program.ask({ headers: {}, body: 'x'.repeat(600 * 1024) }).catch(() => 413)).toBe(413);
  } finally {
    await program.end();
  }
});
