import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeClient } from '../../../lib/kube/client.ts';
import { systemClock } from '../../../lib/kube/clock.ts';
import { serverClock } from '../../../lib/kube/server-clock.ts';
import { SESSIONS } from '../../../lib/kube/types.ts';
import { listen } from '../../../local/functions/port.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const MINUTE = 60_000;
const at = (ms: number) => new Date(ms).toUTCString();
/** A machine whose clock is that much ahead. */
const machine = (ahead: number) => serverClock({ ...systemClock, now: () => NOW + ahead });

test.each([-2 * MINUTE, 2 * MINUTE, 26 * 60 * MINUTE])('a clock that is %i ms ahead decides nothing', (ahead) => {
  const clock = machine(ahead);
  expect(clock.now()).toBe(NOW + ahead);
  clock.heard(at(NOW));
  expect(clock.now()).toBe(NOW);
});

test('what may be the time that an answer took is no difference', () => {
  const clock = machine(0);
  for (const late of [-1900, 0, 1000, 2000]) {
    clock.heard(at(NOW + late));
    expect(clock.now()).toBe(NOW);
  }
});

test('a clock that was put right is believed again', () => {
  let ahead = 2 * MINUTE;
  const clock = serverClock({ ...systemClock, now: () => NOW + ahead });
  clock.heard(at(NOW));
  ahead = 0;
  clock.heard(at(NOW));
  expect(clock.now()).toBe(NOW);
});

test.each([undefined, '', 'yesterday'])('a header that is no date (%s) changes nothing', (header) => {
  const clock = machine(MINUTE);
  clock.heard(header);
  expect(clock.now()).toBe(NOW + MINUTE);
});

const server = createServer((_request, response) => {
  response.writeHead(200, { date: at(NOW) }).end('{}');
});
let port: number;
beforeAll(async () => {
  port = await listen(server);
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

test('a client hears the time with each answer', async () => {
  const clock = machine(2 * MINUTE);
  const client = makeClient({ server: `http://127.0.0.1:${port}`, fieldManager: 'test', heard: clock.heard });
  await client.get(SESSIONS, { namespace: 'p', name: 's' });
  expect(clock.now()).toBe(NOW);
});

test('without anybody to hear it, it is as before', async () => {
  const client = makeClient({ server: `http://127.0.0.1:${port}`, fieldManager: 'test' });
  expect(await client.get(SESSIONS, { namespace: 'p', name: 's' })).toEqual({});
});
