import { expect, test } from 'vitest';
import { collectionPath, objectPath, query } from '../../../lib/kube/path.ts';
import { PODS, SESSIONS } from '../../../lib/kube/types.ts';

const NODES = { ...PODS, kind: 'Node', plural: 'nodes', namespaced: false };

test('paths follow group, scope and subresource', () => {
  expect(collectionPath(PODS)).toBe('/api/v1/pods');
  expect(collectionPath(SESSIONS, 'team')).toBe('/apis/tiny.dev/v1alpha1/namespaces/team/sessions');
  expect(objectPath(SESSIONS, { namespace: 'team', name: 'fix' }, 'status')).toBe(
    '/apis/tiny.dev/v1alpha1/namespaces/team/sessions/fix/status',
  );
  expect(objectPath(NODES, { namespace: 'ignored', name: 'n1' })).toBe('/api/v1/nodes/n1');
});

test.each(['', '.', '..'])('a name that leads elsewhere (%j) is refused', (name) => {
  expect(() => objectPath(SESSIONS, { namespace: 'team', name })).toThrow(TypeError);
  expect(() => collectionPath(SESSIONS, name)).toThrow(TypeError);
});

test('a slash or a question mark in a name stays within its segment', () => {
  expect(objectPath(PODS, { namespace: 'a', name: '../b?c' })).toBe('/api/v1/namespaces/a/pods/..%2Fb%3Fc');
});

test('an object of a namespaced type needs its namespace', () => {
  expect(() => objectPath(SESSIONS, { name: 'fix' })).toThrow('Session fix needs a namespace');
});

test('a query holds what is defined, escaped', () => {
  expect(query({ labelSelector: 'a=b,c', limit: 5, none: undefined })).toBe('?labelSelector=a%3Db%2Cc&limit=5');
  expect(query({ none: undefined })).toBe('');
});
