import { afterAll, beforeAll, expect, it } from 'vitest';
import { CORE, SESSIONS, type Server, session, startServer, watching } from './support.ts';

let server: Server;
const ask: Server['ask'] = (...args) => server.ask(...args);
const put = (name: string, labels: object = {}) => ask('POST', `${CORE}/configmaps`, { metadata: { name, labels } });
beforeAll(async () => {
  server = await startServer({ history: 60 });
});
afterAll(() => server.close());

it('tells what is there, then each change, then the deletion with its version', async () => {
  await put('one');
  const watch = await server.watch(`${CORE}/configmaps?watch=1`);
  await put('two');
  await ask('MERGE', `${CORE}/configmaps/one`, { data: { a: 'b' } });
  await ask('DELETE', `${CORE}/configmaps/two`);
  expect(await watch.until(4)).toEqual(['ADDED one', 'ADDED two', 'MODIFIED one', 'DELETED two']);
  const versions = watch.events.map(({ object }) => Number(object.metadata.resourceVersion));
  expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  watch.close();
});

it('goes on after a version, with nothing lost and nothing twice', async () => {
  const { body: list } = await ask('GET', `${CORE}/configmaps`);
  await put('missed');
  const watch = await server.watch(`${CORE}/configmaps?watch=1&resourceVersion=${list.metadata.resourceVersion}`);
  await put('seen');
  expect(await watch.until(2)).toEqual(['ADDED missed', 'ADDED seen']);
  watch.close();
});

it('says 410 of a version from before a restart of the server', async () => {
  const { body: made } = await put('before');
  await put('between');
  await server.restart();
  const watch = await server.watch(`${CORE}/configmaps?watch=1&resourceVersion=${made.metadata.resourceVersion}`);
  await watch.ended;
  expect(watch.events).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
});

it('says DELETED of what leaves the selection and ADDED of what comes into it', async () => {
  const watch = await server.watch(`${CORE}/configmaps?watch=1&labelSelector=in%3Dyes`);
  await put('guest', { in: 'yes' });
  await ask('MERGE', `${CORE}/configmaps/guest`, { metadata: { labels: { in: 'no' } } });
  await ask('MERGE', `${CORE}/configmaps/guest`, { metadata: { labels: { in: 'yes' } } });
  expect(await watch.until(3)).toEqual(['ADDED guest', 'DELETED guest', 'ADDED guest']);
  expect(watch.events[1].object.metadata.labels).toEqual({ in: 'yes' });
  watch.close();
});

it('watches all namespaces, or one', async () => {
  const [all, other] = [
    await server.watch('/api/v1/secrets?watch=1'),
    await server.watch('/api/v1/namespaces/default/secrets?watch=1'),
  ];
  await ask('POST', `${CORE}/secrets`, { metadata: { name: 'here' } });
  await ask('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'there' } });
  expect(await all.until(2)).toEqual(['ADDED here', 'ADDED there']);
  expect(await other.until(1)).toEqual(['ADDED there']);
  all.close();
  other.close();
});

it('says 410 where the version is too old, and ends', async () => {
  const { body: list } = await ask('GET', `${CORE}/configmaps?limit=1`);
  for (let at = 0; at < 70; at++) await put(`many-${at}`);
  const watch = await server.watch(`${CORE}/configmaps?watch=1&resourceVersion=${list.metadata.resourceVersion}`);
  await watch.ended;
  expect(watch.events).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } }]);
  expect((await ask('GET', `${CORE}/configmaps?continue=${list.metadata.continue}`)).body).toMatchObject({ code: 410 });
});

it('ends after its time, with a bookmark to go on from', async () => {
  const watch = await server.watch(`${SESSIONS}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true`);
  await watch.ended;
  const { body: list } = await ask('GET', SESSIONS);
  expect(watch.events.at(-1)).toMatchObject({
    type: 'BOOKMARK',
    object: { kind: 'Session', metadata: { resourceVersion: list.metadata.resourceVersion } },
  });
});

it('tells rows where a table is wanted, with columns in the first alone', async () => {
  for (const name of ['shown', 'second']) await ask('POST', SESSIONS, session(name));
  const watch = await watching(server.url, server.ca, {
    path: `${SESSIONS}?watch=1`,
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  });
  await watch.until(2);
  expect(watch.events.map(({ object }) => [object.kind, object.rows[0].cells[0]])).toEqual([
    ['Table', 'second'],
    ['Table', 'shown'],
  ]);
  expect(watch.events.map(({ object }) => object.columnDefinitions === null)).toEqual([false, true]);
  watch.close();
});

it('refuses a list as a stream, so that clients fall back', async () => {
  const path = `${CORE}/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
  expect((await ask('GET', path)).code).toBe(422);
});
