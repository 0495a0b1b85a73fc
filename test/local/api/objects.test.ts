import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORE, CRDS, QUESTIONS, SESSIONS, type Server, session, startServer } from './support.ts';

let server: Server;
const ask: Server['ask'] = (...args) => server.ask(...args);
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

describe('create', () => {
  it('gives an identity and defaults, stamps the requester, and drops a status', async () => {
    const { code, body } = await ask('POST', SESSIONS, { ...session('made'), status: { message: 'no' } });
    expect(code).toBe(201);
    expect(body.metadata).toMatchObject({ name: 'made', namespace: 'work', generation: 1 });
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.spec).toMatchObject({ suspend: false, storage: { size: '10Gi' }, requester: { username: 'admin' } });
    expect(body.status).toBeUndefined();
  });

  it.each([
    ['a second one', session('made'), 409, 'sessions.tiny.dev "made" already exists'],
    ['no name', session(''), 422, 'a name is required'],
    ['a bad name', session('Bad_Name'), 422, 'a lowercase RFC 1123 subdomain must consist of'],
    ['a long name', session('a'.repeat(41)), 422, 'must be a DNS label of at most 40 characters'],
    ['a bad label', session('x', {}, { labels: { a: 'b c' } }), 422, 'a valid label must be an empty string or'],
    ['another kind', { ...session('x'), kind: 'Question' }, 400, 'Kind=Question'],
    ['another namespace', session('x', {}, { namespace: 'other' }), 400, 'does not match the namespace sent'],
    ['a wrong type', session('x', { prompt: 5 }), 422, 'spec.prompt in body must be of type string: "integer"'],
    ['nothing to do', session('x', { prompt: undefined }), 422, 'spec.prompt: Required value'],
    [
      'an unknown word',
      session('x', { approvals: { allow: ['fly'] } }),
      422,
      'Unsupported value: "fly": supported values: "read"',
    ],
    ['a broken rule', session('x', { agent: { name: 'mine' } }), 422, 'needs agent.command'],
    ['metadata that is none', { ...session('x'), metadata: { name: 'x', labels: 5 } }, 400, 'metadata.labels'],
    ['no object', [], 422, 'Required value'],
  ])('refuses %s', async (...[, object, code, message]) => {
    const reply = await ask('POST', SESSIONS, object);
    expect(reply.body.message).toContain(message);
    expect(reply.code).toBe(code);
    expect(reply.body).toMatchObject({ kind: 'Status', status: 'Failure' });
  });

  it('names the field of each cause', async () => {
    const { body } = await ask('POST', SESSIONS, session('x', { prompt: '', repository: { url: 5 } }));
    expect(body.details.causes.map(({ field }: { field: string }) => field)).toEqual([
      'spec.prompt',
      'spec.repository.url',
    ]);
  });

  it('stores nothing on a dry run', async () => {
    expect((await ask('POST', `${SESSIONS}?dryRun=All`, session('dry'))).code).toBe(201);
    expect((await ask('GET', `${SESSIONS}/dry`)).code).toBe(404);
  });

  it('refuses, tells or ignores an unknown field as it was asked', async () => {
    const typo = session('typo', { promt: 'x' });
    const strict = await ask('POST', `${SESSIONS}?fieldValidation=Strict`, typo);
    expect(strict.body).toMatchObject({
      code: 400,
      message: expect.stringContaining('strict decoding error: unknown field "spec.promt"'),
    });
    const warn = await ask('POST', `${SESSIONS}?fieldValidation=Warn&dryRun=All`, typo);
    expect(warn.warnings).toEqual(['299 - "unknown field \\"spec.promt\\""']);
    const ignore = await ask('POST', `${SESSIONS}?fieldValidation=Ignore&dryRun=All`, typo);
    expect([ignore.warnings, ignore.body.spec.promt]).toEqual([[], undefined]);
  });

  it('needs the namespace to be there', async () => {
    const reply = await ask('POST', SESSIONS.replace('work', 'nowhere'), session('x'));
    expect(reply.body).toMatchObject({ code: 404, message: 'namespaces "nowhere" not found' });
  });

  it('refuses what is too large', async () => {
    const finalizers = Array.from({ length: 50_000 }, (_, at) => `a.b/${'x'.repeat(30)}${at}`);
    const large = await ask('POST', `${CORE}/configmaps`, { metadata: { name: 'x', finalizers } });
    expect(large.body.message).toBe('etcdserver: request is too large');
    const larger = await ask('POST', `${CORE}/configmaps`, {
      metadata: { name: 'x' },
      data: { a: 'x'.repeat(2 ** 22) },
    });
    expect(larger.body).toMatchObject({ code: 413, reason: 'RequestEntityTooLarge' });
  });
});

describe('update', () => {
  it('counts a generation for the spec alone, and a version for what changes', async () => {
    const { body: made } = await ask('POST', SESSIONS, session('counted'));
    const { body: spec } = await ask('MERGE', `${SESSIONS}/counted`, { spec: { suspend: true } });
    const { body: label } = await ask('MERGE', `${SESSIONS}/counted`, { metadata: { labels: { a: 'b' } } });
    const { body: same } = await ask('MERGE', `${SESSIONS}/counted`, { metadata: { labels: { a: 'b' } } });
    expect([made, spec, label].map(({ metadata }) => metadata.generation)).toEqual([1, 2, 2]);
    expect(same.metadata.resourceVersion).toBe(label.metadata.resourceVersion);
  });

  it('keeps status and spec apart', async () => {
    await ask('POST', SESSIONS, session('apart'));
    const change = { spec: { suspend: true }, status: { message: 'working' } };
    expect((await ask('MERGE', `${SESSIONS}/apart/status`, change)).body).toMatchObject({
      spec: { suspend: false },
      status: change.status,
    });
    const main = await ask('MERGE', `${SESSIONS}/apart`, { ...change, status: { message: 'no' } });
    expect(main.body).toMatchObject(change);
  });

  it('refuses an old version, another uid and another name', async () => {
    const { body: made } = await ask('POST', SESSIONS, session('raced'));
    await ask('MERGE', `${SESSIONS}/raced`, { spec: { suspend: true } });
    const late = await ask('PUT', `${SESSIONS}/raced`, made);
    expect(late.body).toMatchObject({
      code: 409,
      reason: 'Conflict',
      details: { name: 'raced', group: 'tiny.dev', kind: 'sessions' },
    });
    expect(late.body.message).toBe(
      'Operation cannot be fulfilled on sessions.tiny.dev "raced": the object has been modified; please apply your changes to the latest version and try again',
    );
    const uid = await ask('MERGE', `${SESSIONS}/raced`, { metadata: { uid: 'another' } });
    expect(uid.body.message).toContain('metadata.uid: Invalid value: "another": field is immutable');
    expect((await ask('PUT', `${SESSIONS}/raced`, session('other'))).code).toBe(400);
    expect((await ask('PUT', `${SESSIONS}/raced`, session('raced'))).body.message).toContain(
      'must be specified for an update',
    );
  });

  it('lets one of two answers win, and tells the other', async () => {
    const spec = { session: 'made', kind: 'Ask', text: 'which?' };
    await ask('POST', QUESTIONS, { metadata: { name: 'q' }, spec });
    const answer = (text: string) => ask('MERGE', `${QUESTIONS}/q`, { spec: { answer: { text } } });
    const replies = await Promise.all([answer('one'), answer('two')]);
    expect(replies.map(({ code }) => code).sort()).toEqual([200, 422]);
    expect(replies.find(({ code }) => code === 422)?.body.message).toContain('has been answered already');
  });

  it('completes a claim: pending, and kept while it may be in use', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = await ask('POST', `${CORE}/persistentvolumeclaims`, { metadata: { name: 'c' }, spec });
    expect(claim.body).toMatchObject({
      metadata: { finalizers: ['kubernetes.io/pvc-protection'] },
      status: { phase: 'Pending' },
    });
  });
});

describe('server-side apply', () => {
  it('makes, merges, and is refused where another owns a field', async () => {
    const path = `${SESSIONS}/applied`;
    expect((await ask('APPLY', `${path}?fieldManager=a`, session('applied'))).code).toBe(201);
    const other = session('applied', { suspend: true });
    expect((await ask('APPLY', `${path}?fieldManager=b`, other)).body.spec.suspend).toBe(true);
    const third = await ask('APPLY', `${path}?fieldManager=c`, session('applied', { suspend: false }));
    expect(third.body).toMatchObject({
      code: 409,
      message: expect.stringContaining('conflict with "b": .spec.suspend'),
    });
    expect((await ask('APPLY', path, session('applied'))).code).toBe(400);
  });

  it('cannot bring back an object that is gone', async () => {
    const gone = session('gone', {}, { uid: '11111111-1111-1111-1111-111111111111' });
    expect((await ask('APPLY', `${SESSIONS}/gone?fieldManager=a`, gone)).body.message).toContain('uid mismatch');
    expect((await ask('APPLY', `${SESSIONS}/gone/status?fieldManager=a`, session('gone'))).code).toBe(404);
  });
});

describe('list', () => {
  it('selects by labels and by fields, and refuses a field that it does not know', async () => {
    for (const [name, labels] of [
      ['l1', { a: '1' }],
      ['l2', { a: '2', b: '' }],
    ] as const) {
      await ask('POST', `${CORE}/configmaps`, { metadata: { name, labels } });
    }
    const names = async (query: string) =>
      (await ask('GET', `${CORE}/configmaps?${query}`)).body.items.map(
        (each: { metadata: { name: string } }) => each.metadata.name,
      );
    expect(await names('labelSelector=a')).toEqual(['l1', 'l2']);
    expect(await names('labelSelector=a%20in%20(1,3),!b')).toEqual(['l1']);
    expect(await names('labelSelector=a,a!%3D1')).toEqual(['l2']);
    expect(await names('fieldSelector=metadata.name%3Dl2')).toEqual(['l2']);
    expect((await ask('GET', `${CORE}/configmaps?fieldSelector=data.x%3Dy`)).body.message).toBe(
      'field label not supported: data.x',
    );
  });

  it('goes on page by page at one version, whatever is written in between', async () => {
    const { body: first } = await ask('GET', `${SESSIONS}?limit=2`);
    await ask('POST', SESSIONS, session('zz-late'));
    await ask('DELETE', `${SESSIONS}/raced`);
    const rest = await ask('GET', `${SESSIONS}?continue=${first.metadata.continue}`);
    const names = [...first.items, ...rest.body.items].map(({ metadata }) => metadata.name);
    expect(names).toContain('raced');
    expect(names).not.toContain('zz-late');
    expect(rest.body.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });
});

it('refuses a definition that it could not serve, and goes on', async () => {
  const reply = await ask('POST', CRDS, { metadata: { name: 'x.y' }, spec: { group: 'y', versions: 'none' } });
  expect(reply.code).toBe(422);
  expect((await ask('GET', SESSIONS)).code).toBe(200);
});

it('answers 404 for what it does not serve and 405 for what it does not do', async () => {
  expect((await ask('GET', '/apis/batch/v1/jobs')).body).toMatchObject({
    ...{ code: 404, reason: 'NotFound' },
    message: expect.stringContaining('the stand-in for Kubernetes has only what tiny uses'),
  });
  expect((await ask('GET', '/nothing')).code).toBe(404);
  expect((await ask('PUT', `${CORE}/configmaps`)).code).toBe(405);
  expect((await ask('GET', '/apis/apps/v1/namespaces/work/deployments/x/scale')).code).toBe(404);
  expect((await ask('GET', '/api/v1/%zz')).code).toBe(404);
  expect((await ask('GET', '//')).code).toBe(404);
});
