import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Instance } from '../../../local/functions/instance.ts';
import { type Functions, startFunctions } from '../../../local/functions/runner.ts';
import { SERVICES, type Service } from '../../../local/functions/service.ts';
import { object, pod, until } from '../support/objects.ts';
import { type StandIn, startStandIn } from '../support/stand-in.ts';

const CODE = `
const http = require('node:http');
const server = http.createServer(async (req, res) => {
  const body = Buffer.concat(await req.toArray()).toString('latin1');
  const answer = () => res.writeHead(202, { 'x-pid': process.pid }).end(JSON.stringify({ headers: req.rawHeaders, body, env: process.env }));
  if (req.url === '/crash') process.exit(1);
  if (req.url !== '/never') answer();
});
server.listen(process.env.PORT, '127.0.0.1');
`;

let standIn: StandIn;
let functions: Functions;

beforeAll(async () => {
  standIn = await startStandIn();
  const functionsFolder = join(standIn.folder, 'functions');
  mkdirSync(functionsFolder);
  writeFileSync(join(functionsFolder, 'echo.cjs'), CODE);
  writeFileSync(join(functionsFolder, 'broken.cjs'), 'process.exit(1)');
  functions = await startFunctions({ ...standIn.node, functionsFolder, scaleToZeroMs: 150 });
});
afterEach(async () => {
  for (const { metadata } of (await standIn.client.list(SERVICES)).items)
    await standIn.client.delete(SERVICES, metadata);
  await until('none', () => Object.keys(functions.coldStarts()).length === 0);
});
afterAll(async () => {
  await functions.stop();
  await standIn.close();
});

const make = (name: string, spec: object, image = 'tiny.dev/function-echo:0.1.0') => {
  const template = { spec: { containers: [{ image, env: [{ name: 'GIVEN', value: 'yes' }] }], ...spec } };
  return standIn.client.apply(
    SERVICES,
    object('serving.knative.dev/v1/Service', { name, namespace: 'tiny-system' }, { spec: { template } }) as Service,
  );
};
const url = (name: string) => until(`function ${name}`, () => functions.address({ namespace: 'tiny-system', name }));

interface Answer {
  code: number;
  pid: string | undefined;
  text: string;
}
const call = async (name: string, path = '/', body = ''): Promise<Answer> => {
  const base = await url(name);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      base + path,
      { method: 'POST', headers: { 'ce-Kind': 'Session', prefer: 'reply' } },
      async (answer) => {
        const text = Buffer.concat(await answer.toArray()).toString();
        resolve({ code: answer.statusCode ?? 0, pid: answer.headers['x-pid'] as string, text });
      },
    );
    outgoing.once('error', reject).end(body);
  });
};

test('a function starts on the first request, holds what comes meanwhile, and ends when it is idle', async () => {
  await make('echo', {});
  await url('echo');
  expect(functions.running()).toEqual([]);
  const body = '{"a": "\u00e9\\u0000"}';
  const answers = await Promise.all([call('echo', '/', body), call('echo'), call('echo')]);
  expect(answers.map(({ code }) => code)).toEqual([202, 202, 202]);
  expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1);
  expect(functions.running()).toEqual(['echo']);
  const seen = JSON.parse(answers[0]?.text ?? '');
  expect(Buffer.from(seen.body, 'latin1').toString()).toBe(body);
  expect(seen.headers.join(' ')).toContain('ce-Kind Session prefer reply');
  expect(seen.env).toMatchObject({ K_SERVICE: 'echo', GIVEN: 'yes', PORT: expect.any(String), HOST: '127.0.0.1' });
  await until('zero', () => functions.running().length === 0);
  await call('echo');
  expect(functions.coldStarts()['echo']).toHaveLength(2);
});

test('its status says where it is, or what is missing', async () => {
  await make('echo', {});
  await make('absent', {}, 'tiny.dev/function-absent:0.1.0');
  const status = async (name: string) =>
    (await standIn.client.get(SERVICES, { namespace: 'tiny-system', name }))?.status;
  const ready = await until('status', () => status('echo'));
  expect(ready).toMatchObject({
    url: await url('echo'),
    conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]),
  });
  const absent = await until('status', () => status('absent'));
  expect(absent.conditions?.[0]).toMatchObject({ status: 'False', message: expect.stringContaining('npm run build') });
});

test('a crash in flight is 502, and the next request starts another', async () => {
  await make('echo', {});
  const first = await call('echo');
  expect(await call('echo', '/crash')).toMatchObject({ code: 502 });
  const next = await call('echo');
  expect(next.code).toBe(202);
  expect(next.pid).not.toBe(first.pid);
});

test('requests that meet a crashed process in the same moment start one other', async () => {
  const container = { name: 'f', image: 'tiny.dev/test:1', command: ['node', '-e', CODE] };
  const wanted = { pod: pod('f', { containers: [container] }), timeoutMs: 1000 };
  const options = {
    ...standIn.node,
    dataFolder: join(standIn.folder, 'alone'),
    functionsFolder: '',
    address: () => undefined,
  };
  const instance = new Instance(options, { ...wanted, pod: { ...wanted.pod, metadata: { name: 'f', uid: 'f' } } });
  await expect(instance.use((port) => fetch(`http://127.0.0.1:${port}/crash`))).rejects.toThrow();
  const ports = await Promise.all([1, 2, 3].map(() => instance.use(async (port) => port)));
  expect(new Set(ports).size).toBe(1);
  expect(instance.coldStarts).toHaveLength(2);
  await instance.stop();
  expect(instance.isRunning).toBe(false);
});

test('one that does not start is 503, one that does not answer in time 504', async () => {
  await make('broken', {}, 'tiny.dev/function-broken:1');
  expect(await call('broken')).toMatchObject({ code: 503 });
  await make('echo', { timeoutSeconds: 0.3 });
  expect(await call('echo', '/never')).toMatchObject({ code: 504 });
});

test('a changed spec is what the next request meets', async () => {
  await make('echo', {});
  const first = await call('echo');
  const before = await url('echo');
  await make('echo', {
    containers: [{ image: 'tiny.dev/function-echo:0.1.0', env: [{ name: 'GIVEN', value: 'new' }] }],
  });
  await until('the new front', async () => (await url('echo')) !== before);
  const next = await call('echo');
  expect(next.pid).not.toBe(first.pid);
  expect(JSON.parse(next.text).env).toMatchObject({ GIVEN: 'new' });
});
