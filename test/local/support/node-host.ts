/** A node in a process of its own, so that a test can kill it: what `tiny up` runs, without the rest. */
import { readFileSync } from 'node:fs';
import { makeClient } from '../../../lib/kube/client.ts';
import { startNode } from '../../../local/node/node.ts';
import { hostOf } from './host.ts';

const [folder = '', url = '', caFile = ''] = process.argv.slice(2);
const client = makeClient({
  server: url,
  ca: readFileSync(caFile, 'utf8'),
  auth: { token: 'admin-token' },
  fieldManager: 'stand-in',
});
const { hostname: host, port } = new URL(url);
startNode({
  client,
  now: () => new Date(),
  random: Math.random,
  log: () => undefined,
  ...hostOf(folder),
  apiServer: { host, port: Number(port) },
});
