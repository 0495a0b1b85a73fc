import { expect, test } from 'vitest';
import { burying } from '../../../lib/event/dead-letters.ts';
import { CONFIG_MAPS, SESSIONS } from '../../../lib/kube/types.ts';
import { makeHarness, NOW, session } from '../harness.ts';

const HEADERS = {
  'ce-id': '1',
  'ce-type': 'dev.knative.apiserver.ref.add',
  'ce-source': 'x',
  'ce-specversion': '1.0',
  'ce-kind': 'Session',
  'ce-namespace': 'demo',
  'ce-name': 'fix',
  'content-type': 'application/json',
  'ce-knativeerrordest': 'http://session',
  'ce-knativeerrorcode': '500',
  'ce-knativeerrordata': Buffer.from('\u001b[31mno').toString('base64'),
};
const body = JSON.stringify({ apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', namespace: 'demo', name: 'fix' });

async function world(letters: number) {
  const harness = makeHarness();
  let data: Record<string, string> = {};
  for (let count = 0; count < letters; count++)
    data = { ...data, ...(burying(data, { headers: HEADERS, body }, NOW) as Record<string, string>) };
  const metadata = { namespace: 'tiny-system', name: 'dead-letters' };
  await harness.fake.client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  return harness;
}

test('tiny events dead lists what is kept, and a terminal obeys none of it', async () => {
  const { out, err, code } = await (await world(2)).tiny(['events', 'dead']);
  expect(code).toBe(0);
  expect(out).toMatch(/^2 +0s +Session demo\/fix +http:\/\/session +500 /m);
  expect(out).not.toContain('\u001b');
  expect(err).toContain('2 could not be delivered in all, 2 of them are kept');
});

test('nothing is a good answer', async () => {
  expect(await (await world(0)).tiny(['events', 'dead'])).toMatchObject({ code: 0, out: '' });
});

test('a cluster that keeps none says so, and what would', async () => {
  const { code, err } = await makeHarness().tiny(['events', 'dead']);
  expect(code).toBe(1);
  expect(err).toContain('tiny install');
});

test('tiny replay dead/NUMBER takes one up again', async () => {
  const harness = await world(1);
  await harness.fake.client.create(SESSIONS, session('fix'));
  const { code, out } = await harness.tiny(['replay', 'dead/1', '--dry-run']);
  expect(code).toBe(0);
  expect(out).toContain('Deployment');
  expect(await harness.tiny(['replay', 'dead/9'])).toMatchObject({ code: 1 });
});
