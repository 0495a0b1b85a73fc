import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { makeRelay } from '../../../agent/connect/relay.ts';

/** A server that comes and goes: what it was sent, and what it says. */
function stage() {
  const dials: { heard: string[]; say: (value: unknown) => void; die: (half?: string) => void; up: () => void }[] = [];
  const told: string[] = [];
  const logged: string[] = [];
  const pauses: number[] = [];
  let isGone = false;
  let next = () => {};
  const relay = makeRelay({
    dial: () => {
      const stream = new PassThrough();
      const heard: string[] = [];
      const socket = Object.assign(stream, {}) as unknown as Socket;
      socket.write = ((line: string) => heard.push(line.trim()) > 0) as Socket['write'];
      dials.push({
        heard,
        say: (value) => stream.push(`${JSON.stringify(value)}\n`),
        die: (half) => {
          if (half) stream.push(half);
          stream.push(null);
          stream.once('end', () => stream.destroy());
          stream.resume();
        },
        up: () => stream.emit('connect'),
      });
      return socket;
    },
    toAgent: (line) => told.push(line),
    log: (line) => logged.push(line),
    gone: () => {
      isGone = true;
    },
    later: (ms, act) => {
      pauses.push(ms);
      next = act;
    },
  });
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  const at = (index: number) => {
    const dial = dials[index];
    if (!dial) throw new Error(`there is no connection ${index}`);
    return dial;
  };
  return { relay, at, told, logged, pauses, tick, again: () => next(), isGone: () => isGone };
}

const HELLO = '{"id":0,"method":"initialize"}';
const READY = '{"method":"notifications/initialized"}';
const CALL = '{"id":1,"method":"tools/call"}';

describe('a pipe to the tools', () => {
  it('introduces the agent to tools that have come again, and repeats what they did not answer', async () => {
    const { relay, at, told, tick, again } = stage();
    at(0).up();
    for (const line of [HELLO, READY, CALL]) relay.fromAgent(line);
    at(0).say({ id: 0, result: 'first' });
    await tick();
    at(0).die('{"id":1,"resu');
    await tick();
    await tick();
    relay.fromAgent('{"id":2,"method":"tools/call"}');
    again();
    at(1).up();
    expect(at(1).heard).toEqual([HELLO]);
    at(1).say({ id: 0, result: 'second' });
    await tick();
    expect(at(1).heard).toEqual([HELLO, READY, CALL, '{"id":2,"method":"tools/call"}']);
    at(1).say({ id: 1, result: 'done' });
    await tick();
    expect(told).toEqual(['{"id":0,"result":"first"}', '{"id":1,"result":"done"}']);
  });

  it('repeats no call that was answered or given up', async () => {
    const { relay, at, tick, again } = stage();
    at(0).up();
    for (const line of [HELLO, READY, CALL, '{"id":2,"method":"x"}']) relay.fromAgent(line);
    at(0).say({ id: 0 });
    at(0).say({ id: 1 });
    relay.fromAgent('{"method":"notifications/cancelled","params":{"requestId":2}}');
    await tick();
    at(0).die();
    await tick();
    await tick();
    again();
    at(1).up();
    at(1).say({ id: 0 });
    await tick();
    expect(at(1).heard).toEqual([HELLO, READY]);
  });

  it('waits longer each time, at most 15 s', async () => {
    const { at, pauses, tick, again } = stage();
    at(0).up();
    for (let index = 0; index < 10; index += 1) {
      at(index).die();
      await tick();
      await tick();
      again();
    }
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000]);
  });

  it('is of no use where there never were tools', async () => {
    const { at, logged, tick, isGone } = stage();
    at(0).die();
    await tick();
    await tick();
    expect(isGone()).toBe(true);
    expect(logged[0]).toContain('Is the "tools" container of this pod running?');
  });
});
