import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../lib/api/meta.ts';
import { type ClientConfig, makeClient } from '../../../lib/kube/client.ts';
import { PODS, SECRETS, SESSIONS } from '../../../lib/kube/types.ts';
import { all, answer, fakeClock, freePort, type Handler, refuse, reset, startServer } from './fake.ts';

const REF = { namespace: 'team', name: 'fix' };
const object = (metadata = {}): KubeObject => ({ apiVersion: 'v1', kind: 'Secret', metadata: { ...REF, ...metadata } });
const stored = (name: string, resourceVersion = '1') => ({ metadata: { name, uid: `uid-${name}`, resourceVersion } });
const absent = { reason: 'NotFound', message: 'secrets "fix" not found', details: { name: 'fix', kind: 'secrets' } };

async function connect(handler: Handler, more: Partial<ClientConfig> = {}) {
  const server = await startServer(handler);
  const { clock, slept } = fakeClock();
  return { ...server, slept, client: makeClient({ server: server.url, fieldManager: 'tiny-test', ...more }, clock) };
}

describe('get', () => {
  test('an object that is not there is undefined', async () => {
    const { client } = await connect((_, response) => refuse(response, 404, absent));
    expect(await client.get(SECRETS, REF)).toBeUndefined();
  });

  test('a resource that the server does not serve is an error, not an absent object', async () => {
    const { client } = await connect((_, response) => void response.writeHead(404).end('404 page not found\n'));
    await expect(client.get(SESSIONS, REF)).rejects.toMatchObject({ code: 404 });
    const empty = await connect((_, response) => refuse(response, 404, { reason: 'NotFound', details: {} }));
    await expect(empty.client.get(SESSIONS, REF)).rejects.toMatchObject({ code: 404 });
  });
});

test('a success that is no JSON (a login page) is a typed error', async () => {
  const { client } = await connect((_, response) => void response.end('<html>log in</html>'));
  await expect(client.get(SECRETS, REF)).rejects.toMatchObject({ name: 'ConnectionError', again: 'never' });
});

describe('list', () => {
  test('reads page after page, and says of each item what it is', async () => {
    const { client, seen } = await connect(({ query }, response) => {
      const next = query.get('continue') === 'more' ? '' : 'more';
      const metadata = { resourceVersion: '7', continue: next };
      answer(response, { metadata, items: [stored(next ? 'a' : 'b')] });
    });
    const { items, resourceVersion } = await client.list(PODS, {
      namespace: 'team',
      labelSelector: 'x=y',
      pageSize: 1,
    });
    expect(items.map(({ kind, apiVersion, metadata }) => [kind, apiVersion, metadata.name])).toEqual([
      ['Pod', 'v1', 'a'],
      ['Pod', 'v1', 'b'],
    ]);
    expect(resourceVersion).toBe('7');
    expect(seen.map(({ query }) => query.toString())).toEqual([
      'labelSelector=x%3Dy&limit=1',
      'labelSelector=x%3Dy&limit=1&continue=more',
    ]);
  });

  test('starts again, whole, where its version expires between two pages', async () => {
    const { client, seen } = await connect(({ query }, response) => {
      if (query.has('continue')) return refuse(response, 410, { reason: 'Expired' });
      const next = query.has('limit') ? 'more' : '';
      answer(response, { metadata: { resourceVersion: '9', continue: next }, items: [stored('a')] });
    });
    expect((await client.list(PODS)).items.map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(seen.map(({ query }) => query.get('limit'))).toEqual(['500', '500', null]);
  });
});

describe('create', () => {
  const statuses = (client: Awaited<ReturnType<typeof connect>>['client']) => client.create(SECRETS, object());

  test('names its field manager', async () => {
    const { client, seen } = await connect((_, response) => answer(response, stored('fix'), { code: 201 }));
    await statuses(client);
    expect(seen[0]).toMatchObject({ method: 'POST', path: '/api/v1/namespaces/team/secrets' });
    expect(seen[0]?.query.get('fieldManager')).toBe('tiny-test');
    expect(new Map(seen[0]?.headers).get('content-type')).toBe('application/json');
  });

  test('is sent again after 429 and after 503 with Retry-After', async () => {
    const codes = [429, 503];
    const { client, seen, slept } = await connect((_, response) => {
      const code = codes.shift();
      answer(response, {}, code ? { code, headers: { 'retry-after': '2' } } : { code: 201 });
    });
    await statuses(client);
    expect([seen.length, slept]).toEqual([3, [2000, 2000]]);
  });

  test('is not sent twice where the first may have been carried out', async () => {
    const failed = await connect((_, response) => refuse(response, 500));
    await expect(statuses(failed.client)).rejects.toMatchObject({ code: 500 });
    const dropped = await connect((_, response) => reset(response));
    await expect(statuses(dropped.client)).rejects.toMatchObject({ name: 'ConnectionError' });
    expect([failed.seen.length, dropped.seen.length]).toEqual([1, 1]);
  });

  test('is sent again where nobody listened', async () => {
    const { clock, slept } = fakeClock();
    const client = makeClient({ server: `http://127.0.0.1:${await freePort()}`, fieldManager: 'x' }, clock);
    await expect(statuses(client)).rejects.toThrow('ECONNREFUSED');
    expect(slept.length).toBe(4);
  });
});

test('a read and an apply outlive a connection that the server had dropped', async () => {
  let drop = true;
  const { client, seen } = await connect((_, response) => {
    if (drop) reset(response);
    else answer(response, stored('fix'));
    drop = !drop;
  });
  await client.get(SECRETS, REF);
  await client.apply(SECRETS, object());
  expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'PATCH', 'PATCH']);
});

describe('apply', () => {
  test('is forced, by the field manager, in JSON that YAML reads the same', async () => {
    const { client, seen } = await connect((_, response) => answer(response, stored('fix')));
    await client.apply(SECRETS, object({ annotations: { a: 'x\u2028\u0085\u007f😀"' } }));
    expect(seen[0]?.query.toString()).toBe('fieldManager=tiny-test&force=true');
    expect(new Map(seen[0]?.headers).get('content-type')).toBe('application/apply-patch+yaml');
    expect(seen[0]?.body).toContain('"x\\u2028\\u0085\\u007f😀\\""');
  });

  test('onto a newer object of that name is a conflict, though the server calls it invalid', async () => {
    const details = { causes: [{ field: 'metadata.uid', message: 'field is immutable' }] };
    const { client } = await connect((_, response) => refuse(response, 422, { reason: 'Invalid', details }));
    await expect(client.apply(SECRETS, object({ uid: 'old' }))).rejects.toMatchObject({
      code: 409,
      reason: 'Conflict',
    });
  });
});

describe('applyStatus', () => {
  const report = (metadata = {}) => ({ ...object(metadata), status: { message: 'hi' } });

  test('with a uid never writes on a newer object of that name', async () => {
    const { client, seen } = await connect((_, response) => answer(response, stored('fix')));
    await expect(client.applyStatus(SECRETS, report({ uid: 'old' }))).rejects.toMatchObject({ code: 409 });
    expect(seen.map(({ method }) => method)).toEqual(['GET']);
  });

  test('with a uid is 404 where the object is gone', async () => {
    const { client } = await connect((_, response) => refuse(response, 404, absent));
    await expect(client.applyStatus(SECRETS, report({ uid: 'old' }))).rejects.toMatchObject({ code: 404 });
  });

  test('with a uid goes on where another writer was quicker', async () => {
    let version = 1;
    const { client, seen } = await connect(({ method, body }, response) => {
      if (method === 'GET') return answer(response, stored('fix', String(version)));
      version++;
      if (version === 2) return refuse(response, 409, { reason: 'Conflict' });
      answer(response, { sent: JSON.parse(body).metadata.resourceVersion });
    });
    expect(await client.applyStatus(SECRETS, report({ uid: 'uid-fix' }))).toEqual({ sent: '2' });
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET', 'PATCH']);
  });

  test('with a version is one request', async () => {
    const { client, seen } = await connect((_, response) => answer(response, stored('fix')));
    await client.applyStatus(SECRETS, report({ uid: 'uid-fix', resourceVersion: '1' }));
    expect(seen.map(({ path }) => path)).toEqual(['/api/v1/namespaces/team/secrets/fix/status']);
  });
});

describe('patch and delete', () => {
  test('a merge patch is tried again, a JSON patch, which may append, is not', async () => {
    const { client, seen } = await connect((_, response) => refuse(response, 500));
    await expect(client.patch(SECRETS, REF, { type: 'json', body: [] })).rejects.toMatchObject({ code: 500 });
    expect(seen.length).toBe(1);
    await expect(client.patch(SECRETS, REF, { type: 'merge', body: {} })).rejects.toMatchObject({ code: 500 });
    expect(seen.length).toBe(6);
    const types = seen.map(({ headers }) => new Map(headers).get('content-type'));
    expect(types.slice(0, 2)).toEqual(['application/json-patch+json', 'application/merge-patch+json']);
  });

  test('a delete says its precondition; a gone object is fine, another one is not', async () => {
    const gone = await connect((_, response) => refuse(response, 404, absent));
    await gone.client.delete(SECRETS, REF, { uid: 'u' });
    expect(JSON.parse(gone.seen[0]?.body ?? '')).toMatchObject({ kind: 'DeleteOptions', preconditions: { uid: 'u' } });
    const other = await connect((_, response) => refuse(response, 409, { reason: 'Conflict' }));
    await expect(other.client.delete(SECRETS, REF, { uid: 'u' })).rejects.toMatchObject({ code: 409 });
  });
});

test('as() sends each group apart on the connection of the client it comes from', async () => {
  const { client, seen } = await connect((_, response) => answer(response, stored('fix')), { auth: { token: 't' } });
  await client.get(SECRETS, REF);
  await client.as({ username: 'alice', groups: ['a', 'b'] }).get(SECRETS, REF);
  await client.as({ username: 'bob' }).get(SECRETS, REF);
  const impersonated = seen.map(({ headers }) => headers.filter(([name]) => name.startsWith('impersonate-')));
  expect(impersonated).toEqual([
    [],
    [
      ['impersonate-user', 'alice'],
      ['impersonate-group', 'a'],
      ['impersonate-group', 'b'],
    ],
    [['impersonate-user', 'bob']],
  ]);
  expect(new Set(seen.map(({ connection }) => connection)).size).toBe(1);
  expect(seen.every(({ headers }) => new Map(headers).get('authorization') === 'Bearer t')).toBe(true);
});

test('a stream gives text as it comes, characters whole', async () => {
  const bytes = Buffer.from('größe 😀\n');
  const { client } = await connect((_, response) => {
    response.writeHead(200).write(bytes.subarray(0, 9));
    setImmediate(() => response.end(bytes.subarray(9)));
  });
  const pieces = await all(client.stream('/api/v1/namespaces/team/pods/fix/log?follow=true'));
  expect(pieces.join('')).toBe('größe 😀\n');
});
