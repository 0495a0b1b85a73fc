import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORE, CRDS, eventually, SESSIONS, type Server, session, startServer } from './support.ts';

let server: Server;
const ask: Server['ask'] = (...args) => server.ask(...args);
const isGone = (path: string) => eventually(async () => (await ask('GET', path)).code === 404);
const ownedBy = ({ metadata: { name, uid } }: { metadata: { name: string; uid: string } }) => ({
  ownerReferences: [{ apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', name, uid }],
});
const configMap = (name: string, metadata: object = {}) =>
  ask('POST', `${CORE}/configmaps`, { metadata: { name, ...metadata } });

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

it('says what is gone, and 404 after that', async () => {
  const { body: made } = await configMap('a');
  const { body } = await ask('DELETE', `${CORE}/configmaps/a`);
  expect(body).toMatchObject({ status: 'Success', details: { name: 'a', kind: 'configmaps', uid: made.metadata.uid } });
  expect((await ask('DELETE', `${CORE}/configmaps/a`)).code).toBe(404);
});

it('deletes only what the preconditions mean', async () => {
  const { body: made } = await configMap('held');
  const uid = await ask('DELETE', `${CORE}/configmaps/held`, { preconditions: { uid: 'another' } });
  expect(uid.body).toMatchObject({
    code: 409,
    message: expect.stringContaining('the UID in the precondition (another)'),
  });
  const { uid: right, resourceVersion } = made.metadata;
  expect((await ask('DELETE', `${CORE}/configmaps/held?dryRun=All`)).code).toBe(200);
  expect(
    (await ask('DELETE', `${CORE}/configmaps/held`, { preconditions: { uid: right, resourceVersion } })).code,
  ).toBe(200);
});

it('waits for finalizers, and takes no new ones', async () => {
  await ask('POST', SESSIONS, session('kept', {}, { finalizers: ['a.b/c'] }));
  const { body } = await ask('DELETE', `${SESSIONS}/kept`);
  expect(body.metadata).toMatchObject({
    deletionTimestamp: expect.any(String),
    deletionGracePeriodSeconds: 0,
    generation: 2,
  });
  const more = await ask('MERGE', `${SESSIONS}/kept`, { metadata: { finalizers: ['a.b/c', 'd.e/f'] } });
  expect(more.body.message).toContain(
    'no new finalizers can be added if the object is being deleted, found new finalizers d.e/f',
  );
  expect((await ask('MERGE', `${SESSIONS}/kept`, { metadata: { finalizers: null } })).code).toBe(200);
  expect((await ask('GET', `${SESSIONS}/kept`)).code).toBe(404);
});

it('keeps a claim in use until its finalizer is taken off', async () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await ask('POST', `${CORE}/persistentvolumeclaims`, { metadata: { name: 'c' }, spec });
  await ask('DELETE', `${CORE}/persistentvolumeclaims/c`);
  expect((await ask('GET', `${CORE}/persistentvolumeclaims/c`)).body.metadata.deletionTimestamp).toBeDefined();
  await ask('MERGE', `${CORE}/persistentvolumeclaims/c`, { metadata: { finalizers: [] } });
  expect((await ask('GET', `${CORE}/persistentvolumeclaims/c`)).code).toBe(404);
});

it('leaves a pod on a node to the node', async () => {
  const pod = (name: string, spec: object) =>
    ask('POST', `${CORE}/pods`, { metadata: { name }, spec: { containers: [{ name: 'c', image: 'x' }], ...spec } });
  await pod('placed', { nodeName: 'n' });
  await pod('waiting', {});
  const { body } = await ask('DELETE', `${CORE}/pods/placed`, { gracePeriodSeconds: 5 });
  expect(body.metadata.deletionGracePeriodSeconds).toBe(5);
  expect((await ask('GET', `${CORE}/pods/placed`)).code).toBe(200);
  await ask('DELETE', `${CORE}/pods/placed`, { gracePeriodSeconds: 0 });
  await ask('DELETE', `${CORE}/pods/waiting`);
  expect((await ask('GET', `${CORE}/pods`)).body.items).toEqual([]);
});

describe('garbage collection', () => {
  it('removes what a deleted owner leaves, link by link', async () => {
    const { body: owner } = await ask('POST', SESSIONS, session('owner'));
    const { body: child } = await configMap('child', ownedBy(owner));
    await configMap('grandchild', ownedBy(child));
    await ask('DELETE', `${SESSIONS}/owner`);
    await isGone(`${CORE}/configmaps/grandchild`);
  });

  it('keeps what another owner still holds', async () => {
    const { body: a } = await ask('POST', SESSIONS, session('both-a'));
    const { body: b } = await ask('POST', SESSIONS, session('both-b'));
    const ownerReferences = [...ownedBy(a).ownerReferences, ...ownedBy(b).ownerReferences];
    await configMap('shared', { ownerReferences });
    await configMap('single', ownedBy(a));
    await ask('DELETE', `${SESSIONS}/both-a`);
    await isGone(`${CORE}/configmaps/single`);
    expect((await ask('GET', `${CORE}/configmaps/shared`)).code).toBe(200);
  });

  it('removes what was made for an owner that is gone', async () => {
    await configMap('late', ownedBy({ metadata: { name: 'owner', uid: 'no-such-uid' } }));
    await isGone(`${CORE}/configmaps/late`);
  });

  it('does not leave orphans, and says so', async () => {
    await ask('POST', SESSIONS, session('parting'));
    const { body } = await ask('DELETE', `${SESSIONS}/parting`, { propagationPolicy: 'Orphan' });
    expect(body).toMatchObject({
      code: 501,
      message: expect.stringContaining('the stand-in for Kubernetes does not have'),
    });
    expect((await ask('GET', `${SESSIONS}/parting`)).code).toBe(200);
  });

  it('empties a namespace, takes nothing new into it, and removes it', async () => {
    await ask('POST', '/api/v1/namespaces', { metadata: { name: 'leaving' } });
    const held = { metadata: { name: 'held', finalizers: ['a.b/c'] } };
    await ask('POST', '/api/v1/namespaces/leaving/configmaps', held);
    await ask('POST', '/api/v1/namespaces/leaving/configmaps', { metadata: { name: 'plain' } });
    expect((await ask('DELETE', '/api/v1/namespaces/leaving')).body.status).toEqual({ phase: 'Terminating' });
    await isGone('/api/v1/namespaces/leaving/configmaps/plain');
    const late = await ask('POST', '/api/v1/namespaces/leaving/configmaps', { metadata: { name: 'late' } });
    expect(late.body).toMatchObject({ code: 403, message: expect.stringContaining('because it is being terminated') });
    await ask('MERGE', '/api/v1/namespaces/leaving/configmaps/held', { metadata: { finalizers: null } });
    await isGone('/api/v1/namespaces/leaving');
  });

  it('goes on after a restart', async () => {
    await ask('POST', '/api/v1/namespaces', { metadata: { name: 'restarted' } });
    await ask('DELETE', '/api/v1/namespaces/restarted');
    await server.restart();
    await isGone('/api/v1/namespaces/restarted');
  });

  it('removes the objects of a definition that is deleted, and stops serving them', async () => {
    const names = { kind: 'Thing', plural: 'things' };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const spec = { group: 'x.dev', scope: 'Namespaced', names, versions };
    const { body: crd } = await ask('POST', CRDS, { metadata: { name: 'things.x.dev' }, spec });
    expect(crd.status.conditions.map(({ type }: { type: string }) => type)).toContain('Established');
    const things = '/apis/x.dev/v1/namespaces/work/things';
    expect((await ask('POST', things, { metadata: { name: 't' } })).code).toBe(201);
    await ask('DELETE', `${CRDS}/things.x.dev`);
    expect((await ask('GET', things)).code).toBe(404);
    await eventually(async () => (await ask('POST', CRDS, { metadata: { name: 'things.x.dev' }, spec })).code === 201);
    expect((await ask('GET', things)).body.items).toEqual([]);
  });
});

it('does not delete a collection, and says so', async () => {
  await configMap('left');
  expect((await ask('DELETE', `${CORE}/configmaps`)).body).toMatchObject({ code: 501, reason: 'NotImplemented' });
  expect((await ask('GET', `${CORE}/configmaps/left`)).code).toBe(200);
});
