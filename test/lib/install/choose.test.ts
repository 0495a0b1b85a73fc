import { describe, expect, test } from 'vitest';
import { choose } from '../../../lib/install/choose.ts';
import { detectFeatures, type Features } from '../../../lib/install/features.ts';
import { ApiError } from '../../../lib/kube/errors.ts';
import type { Client } from '../../../lib/kube/types.ts';

const NEW: Features = {
  version: 'v1.37.2',
  minor: 37,
  constrainedImpersonation: true,
  stamps: true,
  verifies: true,
  knative: { eventing: true, serving: true, sources: true },
  openshift: false,
  standIn: false,
};
const OLD = { ...NEW, version: 'v1.34.1', minor: 34, constrainedImpersonation: false, stamps: false };
const NONE = { minimal: false, impersonates: false, force: false };
const folders = (features: Features, wish = {}) => {
  const choice = choose(features, { ...NONE, ...wish });
  return 'refusal' in choice ? choice.refusal : choice.stages.map(({ folder }) => folder);
};
const notes = (features: Features, wish = {}) => {
  const choice = choose(features, { ...NONE, ...wish });
  return 'refusal' in choice ? '' : choice.notes.join('\n');
};

describe('what is installed', () => {
  test.each<[string, Features, object, string[]]>([
    ['on a new cluster: all of it', NEW, {}, ['crds', 'rbac', 'rbac/policies', 'knative']],
    [
      'before 1.36: classic roles, and policies that only verify',
      OLD,
      {},
      ['crds', 'rbac/classic', 'rbac/policies/verify', 'knative'],
    ],
    [
      'at wish: functions that others call',
      NEW,
      { functions: ['slack'] },
      ['crds', 'rbac', 'rbac/policies', 'knative', 'knative/slack'],
    ],
    [
      'without Knative: no function that others call either',
      { ...NEW, knative: { eventing: false, serving: false, sources: false } },
      { functions: ['slack'] },
      ['crds', 'rbac', 'rbac/policies'],
    ],
    ['at wish: the resources alone', NEW, { minimal: true }, ['crds']],
    [
      'at wish, where no policy is served: the resources alone',
      { ...OLD, verifies: false },
      { minimal: true },
      ['crds'],
    ],
    [
      'on OpenShift: its constraint too',
      { ...NEW, openshift: true },
      {},
      ['crds', 'rbac', 'rbac/openshift', 'rbac/policies', 'knative'],
    ],
    [
      'on the stand-in: no policies',
      { ...NEW, stamps: false, verifies: false, standIn: true },
      {},
      ['crds', 'rbac', 'knative'],
    ],
    [
      'with constrained impersonation switched off by hand',
      NEW,
      { impersonates: true, force: true },
      ['crds', 'rbac', 'rbac/policies', 'knative'],
    ],
  ])('%s', (...[, features, wish, expected]) => expect(folders(features, wish)).toEqual(expected));

  test.each([
    ['Eventing', { eventing: false }],
    ['sources', { sources: false }],
    ['Serving', { serving: false }],
  ])('without %s no functions, and a word about it', (name, lacking) => {
    const features = { ...NEW, knative: { ...NEW.knative, ...lacking } };
    expect(folders(features)).not.toContain('knative');
    expect(notes(features)).toContain(name);
  });
});

describe('refused is', () => {
  test('a cluster on which anyone could say that another asked', () => {
    expect(folders({ ...OLD, verifies: false })).toContain('no ValidatingAdmissionPolicy');
  });

  test('the unrestricted verb beside constrained impersonation', () => {
    expect(folders(NEW, { impersonates: true })).toContain('would undo it');
    expect(folders(OLD, { impersonates: true })).toContain('rbac/classic');
  });
});

test('whoever names nobody before 1.36 is told that functions can act as nobody', () => {
  expect(notes(OLD)).toContain('--impersonate');
  expect(notes(OLD, { impersonates: true })).not.toContain('--impersonate');
});

describe('what a cluster has', () => {
  const cluster = (version: object, groups: string[], policies?: string[]) =>
    ({
      request: async (_: string, path: string) => {
        if (path === '/version') return version;
        if (path === '/apis') return { groups: groups.map((name) => ({ name })) };
        if (policies) return { resources: policies.map((name) => ({ name })) };
        throw new ApiError(404, { message: '404 page not found' });
      },
    }) as unknown as Client;

  test.each([
    ['37', 37, true],
    ['36+', 36, true],
    ['35', 35, false],
    ['', 0, false],
  ])('version 1.%s', async (minor, expected, constrained) => {
    const features = await detectFeatures(cluster({ minor, gitVersion: `v1.${minor}` }, []));
    expect([features.minor, features.constrainedImpersonation]).toEqual([expected, constrained]);
  });

  test('that behaves as an older one is an older one', async () => {
    const version = { minor: '37', emulationMinor: '34', gitVersion: 'v1.37.2' };
    expect(await detectFeatures(cluster(version, []))).toMatchObject({ minor: 34, constrainedImpersonation: false });
  });

  test('by its discovery', async () => {
    const groups = ['eventing.knative.dev', 'security.openshift.io'];
    const features = await detectFeatures(cluster({ minor: '36' }, groups, ['validatingadmissionpolicies']));
    expect(features).toMatchObject({
      knative: { eventing: true, serving: false, sources: false },
      ...{ openshift: true, stamps: false, verifies: true, standIn: false },
    });
  });
});
