import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeClient } from '../../../lib/kube/client.ts';
import { PODS } from '../../../lib/kube/types.ts';
import { startApiServer } from '../../../local/api/server.ts';

test('a watch that the end of the server ends is in the audit log still', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tiny-close-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const people = new Map([['t', { username: 'admin', groups: ['system:masters'] }]]);
  const server = await startApiServer({ dataDir, now: () => new Date(), people, log: () => undefined });
  const client = makeClient({ server: server.url, ca: server.caPem, auth: { token: 't' }, fieldManager: 'test' });
  const stop = new AbortController();
  const watch = client.watch(PODS, { signal: stop.signal })[Symbol.asyncIterator]();
  const first = watch.next();
  await client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' } });
  await first;
  await server.close();
  stop.abort();
  const lines = readFileSync(join(dataDir, 'audit.log'), 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).verb)).toContain('watch');
});
