import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../lib/api/meta.ts';
import { ensure } from '../../lib/ensure.ts';
import { ApiError, ConnectionError } from '../../lib/kube/errors.ts';
import { CLAIMS, DEPLOYMENTS } from '../../lib/kube/types.ts';
import type { Ensure } from '../../lib/plan.ts';
import { apiError, type Hooks, MemoryServer } from '../support/memory-client.ts';

type Thing = KubeObject & { spec?: Record<string, unknown> };

const thing = (spec: Record<string, unknown> = {}, metadata = {}): Thing => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', namespace: 'n', labels: { owner: 'me' }, ...metadata },
  spec,
});

const mine = (live: KubeObject) => live.metadata.labels?.['owner'] === 'me';
const wish = (more: Partial<Ensure> = {}): Ensure => ({
  type: DEPLOYMENTS,
  object: thing({ replicas: 1 }),
  known: false,
  mine,
  mode: 'apply',
  ...more,
});

function given(live?: Thing, hooks: Hooks = {}) {
  const server = new MemoryServer(hooks);
  if (live) server.put(DEPLOYMENTS, live as KubeObject);
  const client = server.client('tiny-session');
  const spec = () => (server.peek(DEPLOYMENTS, { namespace: 'n', name: 'd' }) as Thing | undefined)?.spec;
  return { server, client, spec };
}

describe('what is not there', () => {
  test('is created without looking', async () => {
    const { server, client } = given();
    expect(await ensure(client, wish())).toBeUndefined();
    expect(server.verbs()).toEqual(['create Deployment']);
  });

  test('though it was made earlier, is read and then created', async () => {
    const { server, client } = given();
    expect(await ensure(client, wish({ known: true }))).toBeUndefined();
    expect(server.verbs()).toEqual(['get Deployment', 'create Deployment']);
  });
});

describe('what is there and ours', () => {
  test('is brought into line', async () => {
    const { server, client, spec } = given(thing({ replicas: 0 }));
    expect(await ensure(client, wish())).toBeUndefined();
    expect(spec()).toEqual({ replicas: 1 });
    expect(server.verbs()).toEqual(['create Deployment', 'get Deployment', 'apply Deployment']);
  });

  test('is left as it is where it is only to be made', async () => {
    const { client, spec } = given(thing({ replicas: 0 }));
    expect(await ensure(client, wish({ mode: 'create' }))).toBeUndefined();
    expect(spec()).toEqual({ replicas: 0 });
  });

  test('and known by its name alone, is not read', async () => {
    const { server, client } = given(thing());
    const { mine: _mine, ...unowned } = wish({ mode: 'create' });
    expect(await ensure(client, unowned)).toBeUndefined();
    expect(server.verbs()).toEqual(['create Deployment']);
  });

  test('loses a field that it was created with and that is no longer asked for', async () => {
    const { client, spec } = given();
    await ensure(client, wish({ object: thing({ replicas: 1, paused: true }) }));
    await ensure(client, wish({ known: true }));
    expect(spec()).toEqual({ replicas: 1 });
  });

  test('keeps the fields that others set', async () => {
    const { server, client, spec } = given();
    await ensure(client, wish());
    server.change(DEPLOYMENTS, { namespace: 'n', name: 'd' }, (d) => Object.assign((d as Thing).spec ?? {}, { x: 1 }));
    await ensure(client, wish({ known: true }));
    expect(spec()).toEqual({ replicas: 1, x: 1 });
  });

  test('and the same twice, costs one read and one apply once its fields are taken over', async () => {
    const { server, client } = given();
    await ensure(client, wish());
    await ensure(client, wish({ known: true }));
    const before = server.asked.length;
    await ensure(client, wish({ known: true }));
    expect(server.verbs().slice(before)).toEqual(['get Deployment', 'apply Deployment']);
  });
});

describe('what is there and must not be touched', () => {
  test("is a stranger's object, refused by its name", async () => {
    const { server, client, spec } = given(thing({ replicas: 9 }, { labels: { owner: 'someone' } }));
    expect(await ensure(client, wish())).toEqual({
      reason: 'NameTaken',
      message:
        'Deployment "d" exists already and does not belong to this object; rename or delete it, or use another name',
      passes: true,
    });
    expect(spec()).toEqual({ replicas: 9 });
    expect(server.verbs()).toEqual(['create Deployment', 'get Deployment']);
  });

  test.each(['me', 'someone'])('is one of %s that is being deleted', async (owner) => {
    const deletionTimestamp = '2026-11-30T11:00:00Z';
    const { client } = given(thing({}, { labels: { owner }, deletionTimestamp, finalizers: ['a/b'] }));
    const refusal = await ensure(client, wish());
    expect(refusal).toMatchObject({ reason: 'PredecessorTerminating', passes: true });
    expect(refusal?.message).toMatch(/^Deployment "d" .* is still being deleted/);
  });

  test('is one that comes and goes meanwhile: refused, and free at the next try', async () => {
    const { server, client } = given(thing(), {
      before: ({ verb }) => {
        if (verb === 'get') server.drop(DEPLOYMENTS, { namespace: 'n', name: 'd' });
        if (verb === 'create' && server.asked.length === 3) server.put(DEPLOYMENTS, thing() as KubeObject);
      },
    });
    expect(await ensure(client, wish())).toMatchObject({ reason: 'NameTaken', passes: true });
  });
});

describe('an object that is exchanged for another of its name while it is brought into line', () => {
  test.each(['apply', 'patch'] as const)('before the %s is refused by name, never changed', async (at) => {
    const { server, client } = given(undefined, {
      before: ({ verb }) => {
        if (verb !== at) return;
        server.drop(DEPLOYMENTS, { namespace: 'n', name: 'd' });
        server.put(DEPLOYMENTS, thing({ replicas: 9 }, { labels: { owner: 'someone' } }) as KubeObject);
      },
    });
    await ensure(client, wish());
    expect(await ensure(client, wish({ known: true }))).toMatchObject({ reason: 'NameTaken', passes: true });
    expect((server.peek(DEPLOYMENTS, { namespace: 'n', name: 'd' }) as Thing).spec).toEqual({ replicas: 9 });
  });
});

test('many at once never take a race among themselves for a mistake of a person', async () => {
  const { client } = given();
  await ensure(client, wish());
  const all = Array.from({ length: 10 }, () => ensure(client, wish({ known: true })));
  for (const one of await Promise.allSettled(all)) {
    if (one.status === 'fulfilled') expect(one.value).toBeUndefined();
    else expect(one.reason).toMatchObject({ code: 409, reason: 'Conflict' });
  }
});

test('an object of ours into which somebody has put more is refused, and left as it is', async () => {
  const { server, client } = given();
  await ensure(client, wish());
  const before = server.peek(DEPLOYMENTS, { namespace: 'n', name: 'd' });
  expect(await ensure(client, wish({ known: true, foreign: () => 'containers spy' }))).toMatchObject({
    reason: 'Tampered',
    message: 'Deployment "d" has containers spy, which was not asked for here; delete it, and it is made anew',
  });
  expect(server.peek(DEPLOYMENTS, { namespace: 'n', name: 'd' })).toEqual(before);
});

describe('a refusal of the API server', () => {
  const refusedBy = async (error: unknown) => {
    const { client } = given(undefined, {
      before: () => {
        throw error;
      },
    });
    return ensure(client, wish());
  };

  test.each([
    ['Forbidden', 403, 'deployments.apps is forbidden: User "carol" cannot create resource "deployments"'],
    ['QuotaExceeded', 403, 'deployments.apps "d" is forbidden: exceeded quota: few, requested: pods=1'],
    ['Invalid', 422, 'Deployment.apps "d" is invalid: spec.replicas: Invalid value'],
    ['Invalid', 400, 'Deployment in version "v1" cannot be handled'],
  ])('%s (%i) is told in its own words and does not pass', async (reason, code, words) => {
    const error = apiError(code, reason, words);
    expect(await refusedBy(error)).toEqual({ reason, message: `Deployment "d": ${words}`, passes: false });
  });

  test.each([
    apiError(401, 'Unauthorized', 'no'),
    apiError(404, 'NotFound', 'no'),
    apiError(409, 'Conflict', 'no'),
    apiError(429, 'TooManyRequests', 'no'),
    apiError(500, 'InternalError', 'no'),
    apiError(503, 'ServiceUnavailable', 'no'),
    new ApiError(504, {}),
    new ConnectionError('gone'),
    new TypeError('a bug'),
  ])('%s is nobody’s mistake and is thrown', async (error) => {
    await expect(refusedBy(error)).rejects.toBe(error);
  });
});

test('a claim is named as a claim in the refusal', async () => {
  const server = new MemoryServer();
  const claim: KubeObject = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', namespace: 'n' },
  };
  server.put(CLAIMS, claim);
  const refusal = await ensure(server.client('t'), { type: CLAIMS, object: claim, known: false, mine, mode: 'apply' });
  expect(refusal?.message).toContain('PersistentVolumeClaim "c"');
});
