import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endAllLeftovers, endLeftover } from '../../../local/node/leftover.ts';
import { type Node, startNode } from '../../../local/node/node.ts';
import { PODS } from '../../../local/node/pod.ts';
import { launch } from '../../../local/node/process.ts';
import { FOREVER, pod, script, until } from '../support/objects.ts';
import { type StandIn, startStandIn } from '../support/stand-in.ts';

let standIn: StandIn;
let node: Node | undefined;
beforeEach(async () => {
  standIn = await startStandIn();
});
afterEach(async () => {
  await node?.stop(500);
  await standIn.close();
});

const HOST = join(import.meta.dirname, '..', 'support', 'node-host.ts');

test('after a SIGKILL of the stand-in a pod goes on writing, then begins anew, and never runs twice', async () => {
  const caFile = join(standIn.folder, 'ca.crt');
  const trace = join(standIn.folder, 'trace');
  writeFileSync(caFile, standIn.caPem);
  const code = `
    const fs = require('node:fs'), file = ${JSON.stringify(trace)};
    const alive = (pid) => { try { return !fs.readFileSync('/proc/' + pid + '/stat', 'utf8').includes(') Z ') } catch { return false } };
    const before = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split(' ').map(Number) : [];
    fs.appendFileSync(file, (before.some(alive) ? 'twice ' : '') + process.pid + ' ');
    process.on('SIGTERM', () => process.exit(0));
    setInterval(() => console.log('x'), 10)`;
  const host = spawn(process.execPath, [HOST, standIn.folder, standIn.url, caFile], { stdio: 'ignore' });
  const spec = { terminationGracePeriodSeconds: 3, containers: [script('main', code)] };
  const { metadata } = await standIn.client.create(PODS, pod('survivor', spec));
  const pids = () => (existsSync(trace) ? readFileSync(trace, 'utf8').trim().split(' ') : []);
  await until('the first life', () => pids().length === 1);
  await until('its status', async () => (await standIn.client.get(PODS, metadata))?.status?.phase === 'Running');
  host.kill('SIGKILL');
  await new Promise((resolve) => host.once('exit', resolve));
  const log = join(standIn.node.dataFolder, 'pods', metadata.uid, 'logs', 'main', '0.log');
  const { length } = readFileSync(log);
  await until('more of its output', () => readFileSync(log).length > length + 4);

  await endAllLeftovers(standIn.node, 3000);
  const { length: ended } = readFileSync(log);
  node = startNode(standIn.node);
  await until('the second life', () => pids().length >= 2);
  const status = await until('its status', async () => {
    const container = (await standIn.client.get(PODS, metadata))?.status?.containerStatuses?.[0];
    return container?.state.running && container;
  });
  expect(status).toMatchObject({ restartCount: 1, lastState: { terminated: { reason: 'ContainerStatusUnknown' } } });
  expect(pids()).not.toContain('twice');
  expect(readFileSync(log)).toHaveLength(ended);
});

test('a pid that belongs to another process by now is left alone', async () => {
  const [pidFile, logFile] = [join(standIn.folder, 'pid'), join(standIn.folder, 'log')];
  const running = launch({ command: [process.execPath, '-e', FOREVER], env: {}, cwd: '/', logFile, pidFile });
  await until('the pid file', () => existsSync(pidFile) && readFileSync(pidFile).length > 0);
  const line = readFileSync(pidFile, 'utf8');
  const stat = line.slice(line.lastIndexOf(')') + 2).split(' ');
  stat[19] = String(Number(stat[19]) - 1);
  writeFileSync(`${pidFile}.old`, `${running.pid} ${running.pid} (sh) ${stat.join(' ')}`);
  await endLeftover(`${pidFile}.old`, 0);
  expect(readFileSync(`/proc/${running.pid}/stat`, 'utf8')).not.toContain(') Z ');
  await endLeftover(pidFile, 1000);
  expect(await running.exited).toMatchObject({ signal: 15 });
});
