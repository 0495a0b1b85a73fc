import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { KubeObject } from '../../../lib/api/meta.ts';
import { makeClient } from '../../../lib/kube/client.ts';
import { CLAIMS } from '../../../lib/kube/types.ts';
import { startApiServer } from '../../../local/api/server.ts';

test('a watch that the end of the server ends is in the audit log still', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tiny-close-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const people = new Map([['token-of-admin', { username: 'admin', groups: ['system:masters'] }]]);
  const server = await startApiServer({ dataDir, now: () => new Date(), people, log: () => undefined });
  const client = makeClient({
    server: server.url,
    ca: server.caPem,
    auth: { token: 'token-of-admin' },
    fieldManager: 'test',
  });
  const stop = new AbortController();
  const watch = client.watch(CLAIMS, { signal: stop.signal })[Symbol.asyncIterator]();
  const first = watch.next();
  const metadata = { name: 'p', namespace: 'default' };
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await client.create(CLAIMS, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec } as KubeObject);
  await first;
  await server.close();
  stop.abort();
  const lines = readFileSync(join(dataDir, 'audit.log'), 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).verb)).toContain('watch');
});
