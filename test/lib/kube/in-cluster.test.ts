import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeClient } from '../../../lib/kube/client.ts';
import { inCluster } from '../../../lib/kube/in-cluster.ts';
import { answer, CERTIFICATE, startServer } from './fake.ts';

function credentials(files: Record<string, string | Buffer>) {
  const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test("a pod's client trusts the folder's CA, and sends its token", async () => {
  const folder = credentials({ token: 'pod-token\n', 'ca.crt': CERTIFICATE, namespace: 'team\n' });
  const { url, seen } = await startServer((_, response) => answer(response, {}), { secure: true });
  const { hostname, port } = new URL(url);
  const config = { ...inCluster({ folder, host: hostname, port, now: () => 0 }), tlsServerName: 'api.test' };
  await makeClient({ ...config, fieldManager: 'tiny-test' }).request('GET', '/version');
  const headers = new Map(seen[0]?.headers);
  expect([headers.get('authorization'), headers.get('user-agent')]).toEqual(['Bearer pod-token', 'tiny-test']);
});

test('an IPv6 address stands in brackets', () => {
  const folder = credentials({ 'ca.crt': CERTIFICATE });
  expect(inCluster({ folder, host: 'fd00::1', port: 443 }).server).toBe('https://[fd00::1]:443');
});
