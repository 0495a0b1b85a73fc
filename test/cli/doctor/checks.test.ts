import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { check } from '../../../cli/doctor/check.ts';
import { checkClock } from '../../../cli/doctor/check-clock.ts';
import { checkEventing } from '../../../cli/doctor/check-eventing.ts';
import { checkPolicies } from '../../../cli/doctor/check-policies.ts';
import { checkProject } from '../../../cli/doctor/check-project.ts';
import { checkResources } from '../../../cli/doctor/check-resources.ts';
import { checkRights } from '../../../cli/doctor/check-rights.ts';
import type { Finding } from '../../../cli/doctor/finding.ts';
import type { Checked, Observed, Project, Served, System } from '../../../cli/doctor/observed.ts';
import { actingRights, inWords, ownRights, requesterRights } from '../../../cli/doctor/rights.ts';
import type { KubeObject } from '../../../lib/api/meta.ts';
import { readManifests } from '../../../lib/install/manifests.ts';
import { condition, NOW, session } from '../harness.ts';

const manifests = (folder: string) => readManifests(join(import.meta.dirname, '../../..', folder));
const EXPECTED = {
  definitions: manifests('crds'),
  policies: manifests('rbac/policies'),
  eventing: manifests('knative'),
};
const name = ({ kind, metadata }: KubeObject) => `${kind}/${metadata.name}`;
const told = (findings: Finding[]) => findings.map(({ reason, object }) => `${reason} ${object}`);

const ready = (object: KubeObject, status: 'True' | 'False' = 'True'): Served =>
  ({ ...object, status: { conditions: [condition(['Ready', status, 'Why'], 'no such broker')] } }) as Served;
const established = (object: KubeObject) => ({
  ...structuredClone(object),
  status: { conditions: [{ type: 'Established', status: 'True' }] },
});
const eventingOf = (change: (object: KubeObject) => Served[] = (object) => [ready(object)]) => {
  const of = (kind: string) => ({ value: EXPECTED.eventing.filter((one) => one.kind === kind).flatMap(change) });
  return {
    sources: of('ApiServerSource'),
    schedules: of('PingSource'),
    triggers: of('Trigger'),
    services: of('Service'),
    brokers: of('Broker'),
  };
};

/** The triggers as somebody left them who took the sink out. */
const withoutSink = (): ReturnType<typeof eventingOf> => {
  const eventing = eventingOf();
  return { ...eventing, triggers: { value: eventing.triggers.value.map((one) => ({ ...one, spec: {} })) } };
};

const WELL: System = {
  now: NOW,
  serverTime: NOW,
  asked: 10,
  me: { username: 'olga' },
  features: {
    version: 'v1.37.2',
    minor: 37,
    constrainedImpersonation: true,
    stamps: true,
    verifies: true,
    knative: { eventing: true, serving: true, sources: true },
    openshift: false,
    standIn: false,
  },
  functions: true,
  expected: EXPECTED,
  definitions: { value: EXPECTED.definitions.map(established) },
  policies: { value: EXPECTED.policies.map(name) },
  probes: [{ what: 'Session', inForce: true, saw: 'stamped' }],
  eventing: eventingOf(),
  pods: { value: [] },
};
const PARTS = manifests('rbac/project').map(name);
const PROJECT: Project = {
  namespace: 'demo',
  present: { value: PARTS },
  expected: PARTS,
  sessions: { value: [] },
  pods: { value: [] },
};
const observed = (more: Partial<Observed> = {}): Observed => ({
  system: WELL,
  projects: [PROJECT],
  rights: [],
  ...more,
});

test('nothing is found where all is well', () => expect(check(observed())).toEqual([]));

describe('resources', () => {
  const of = (definitions: KubeObject[]) => told(checkResources({ ...WELL, definitions: { value: definitions } }));
  const all = (WELL.definitions as { value: KubeObject[] }).value;

  test('that are missing', () => {
    expect(of(all.slice(0, 1))).toEqual(['DefinitionMissing CustomResourceDefinition sessions.tiny.dev']);
  });

  test('that are not served', () => {
    expect(of(all.map((one) => ({ ...one, status: {} })))).toHaveLength(2);
  });

  test('of another version of tiny; what a server adds by itself is none', () => {
    const changed = structuredClone(all) as never as {
      spec: { versions: { schema: object }[]; conversion?: object };
    }[];
    for (const one of changed) one.spec.conversion = { strategy: 'None' };
    expect(of(changed as never)).toEqual([]);
    for (const one of changed) for (const version of one.spec.versions) version.schema = {};
    expect(of(changed as never)).toEqual([
      'DefinitionOld CustomResourceDefinition questions.tiny.dev',
      'DefinitionOld CustomResourceDefinition sessions.tiny.dev',
    ]);
  });
});

describe('policies', () => {
  test('that are missing, each', () => {
    const policies = { value: EXPECTED.policies.map(name).filter((one) => !one.endsWith('/tiny-requester')) };
    expect(told(checkPolicies({ ...WELL, policies }))).toEqual([
      'PolicyMissing ValidatingAdmissionPolicy tiny-requester',
      'PolicyMissing ValidatingAdmissionPolicyBinding tiny-requester',
    ]);
  });

  test('that are there and do nothing yet', () => {
    const probes = [{ what: 'Session' as const, inForce: false, saw: 'not yet' }];
    expect(checkPolicies({ ...WELL, probes })).toMatchObject([
      { reason: 'PolicyNotInForce', what: expect.stringContaining('not yet') },
    ]);
  });

  test('that could not be tried are no finding about policies, but told', () => {
    const probes = [{ what: 'Session' as const, inForce: false, untried: true as const, saw: 'no' }];
    expect(told(check(observed({ system: { ...WELL, probes } })))).toEqual(['NotSeen your rights']);
  });
});

describe('the clock', () => {
  test.each<[string, number, string[]]>([
    ['a second is the grain of what the server says', 1500, []],
    ['ten seconds', 10_000, ['warning behind']],
    ['two minutes', -120_000, ['error ahead of']],
  ])('%s', (_, ms, expected) => {
    const findings = checkClock({ ...WELL, serverTime: new Date(NOW.getTime() + ms) });
    expect(findings.map(({ severity, what }) => `${severity} ${/behind|ahead of/.exec(what)}`)).toEqual(expected);
  });

  test('a slow answer is no skew; nor is a server that does not say', () => {
    expect(checkClock({ ...WELL, serverTime: new Date(NOW.getTime() - 9000), asked: 9000 })).toEqual([]);
    expect(checkClock({ ...WELL, serverTime: undefined })).toEqual([]);
  });
});

describe('the way of an event', () => {
  const of = (change: (object: KubeObject) => Served[]) => checkEventing({ ...WELL, eventing: eventingOf(change) });

  test.each([
    ['ApiServerSource tiny', 'apiserversource tiny'],
    ['Broker tiny', 'broker tiny'],
    ['Trigger session', 'trigger session'],
    ['PingSource sweep', 'pingsource sweep'],
    ['Service question', 'ksvc question'],
  ])('%s that is not Ready, with its own words', (object, described) => {
    const findings = of((one) => [ready(one, name(one).replace('/', ' ') === object ? 'False' : 'True')]);
    expect(findings).toMatchObject([
      {
        reason: 'NotReady',
        object,
        what: 'is not Ready (Why: no such broker)',
        fix: expect.stringContaining(described),
      },
    ]);
  });

  test('that is missing', () => {
    expect(told(of((one) => (one.kind === 'ApiServerSource' ? [] : [ready(one)])))).toEqual([
      'Missing ApiServerSource tiny',
    ]);
  });

  test('of a function that is installed where somebody wants it; of none that is not', () => {
    const [slack] = manifests('knative/slack').map((one) => ready(one, 'False'));
    const eventing = eventingOf();
    const services = { value: [...eventing.services.value, ...(slack ? [slack] : [])] };
    expect(told(checkEventing({ ...WELL, eventing: { ...eventing, services } }))).toEqual(['NotReady Service slack']);
  });

  test('a broker that waits for each of its triggers, and so drops events', () => {
    const without = (annotations: object) => (one: KubeObject) => [
      one.kind === 'Broker' ? ready({ ...one, metadata: { ...one.metadata, annotations } as never }) : ready(one),
    ];
    expect(of(without({}))).toMatchObject([
      { reason: 'BrokerWaits', fix: expect.stringContaining('delete broker tiny') },
    ]);
    expect(of(without({ 'eventing.knative.dev/broker.class': 'Kafka' }))).toEqual([]);
  });

  test('without a dead-letter sink is a warning', () => {
    const findings = checkEventing({ ...WELL, eventing: withoutSink() });
    expect(findings.map(({ severity, object }) => `${severity} ${object}`)).toEqual([
      'warning Trigger session',
      'warning Trigger question',
    ]);
  });

  test('is not looked for where no functions act', () => {
    expect(checkEventing({ ...WELL, functions: false, eventing: undefined })).toEqual([]);
  });
});

describe('rights', () => {
  const denied = (rights: Omit<Checked, 'allowed'>[]): Checked[] =>
    rights.map((right) => ({ ...right, allowed: false }));
  const of = (rights: Checked[]) => checkRights(observed({ rights }));

  const RBAC = manifests('rbac');
  const own = (account: string) =>
    ownRights(RBAC).filter(({ who }) => who.username === `system:serviceaccount:tiny-system:${account}`);

  test.each([
    ['session', 'get questions.tiny.dev'],
    ['question', 'get configmaps'],
    ['sweep', 'list pods'],
    ['dead-letters', 'patch configmaps'],
    ['slack', 'impersonate:user-info *.authentication.k8s.io'],
    ['github', 'patch sessions.tiny.dev/status'],
    ['source', 'watch sessions.tiny.dev'],
  ])('of %s are asked for as its roles give them: %s', (account, right) => {
    expect(own(account).map(inWords)).toContain(right);
  });

  test('are asked for by name and place where they are given so', () => {
    expect(own('dead-letters')[0]).toMatchObject({ name: 'dead-letters', namespace: 'tiny-system' });
    expect(of(denied(own('dead-letters')))).toMatchObject([{ namespace: 'tiny-system', fix: 'tiny install' }]);
  });

  test("of the source's account, in one finding", () => {
    expect(of(denied(own('source')))).toMatchObject([
      {
        reason: 'AccountWithoutRights',
        object: 'ServiceAccount source',
        fix: 'tiny install',
        why: expect.stringContaining('not ready'),
      },
    ]);
  });

  test('of a function in a project that was not prepared', () => {
    const acting = actingRights([...RBAC, ...manifests('rbac/project')], 'demo');
    expect(of(denied(acting))).toMatchObject([
      { object: 'ServiceAccount session', namespace: 'demo', fix: 'tiny init demo' },
      { object: 'ServiceAccount question', namespace: 'demo' },
      { object: 'ServiceAccount slack', namespace: 'demo' },
      { object: 'ServiceAccount github', namespace: 'demo' },
    ]);
  });

  test.each([
    ['alice', '--user=alice'],
    ['system:serviceaccount:ci:build', '--serviceaccount=ci:build'],
  ])('of requester %s', (username, whom) => {
    const rights = denied(requesterRights({ username }, 'refactor', 'demo')).map((right) => ({
      ...right,
      allowed: right.resource !== 'secrets' && right.resource !== 'deployments',
    }));
    expect(of(rights)).toMatchObject([
      {
        object: 'Session refactor',
        what: `its requester ${username} may not create secrets, create deployments.apps, patch deployments.apps`,
        fix: `kubectl -n demo create rolebinding NAME --clusterrole=tiny-user ${whom}`,
      },
    ]);
  });

  test('that could not be asked for are told as such', () => {
    const rights = own('source').map((right) => ({ ...right, allowed: undefined }));
    expect(check(observed({ rights }))).toMatchObject([
      { reason: 'NotSeen', what: expect.stringContaining('SubjectAccessReview') },
    ]);
  });
});

describe('a project', () => {
  const of = (more: Partial<Project>) => checkProject({ ...PROJECT, ...more }, WELL);
  const old = (status?: object, generation = 1) => {
    const one = session('refactor', { seconds: 600, status: status as never });
    return { ...one, metadata: { ...one.metadata, generation } };
  };
  const materialised = (
    observedGeneration: number,
    [status, reason]: readonly ['True' | 'False', string] = ['True', 'Materialised'],
  ) => ({
    conditions: [{ ...condition(['Materialised', status, reason], 'exceeded quota'), observedGeneration }],
  });

  test('without its account', () => {
    expect(of({ present: { value: PARTS.filter((part) => !part.startsWith('ServiceAccount')) } })).toMatchObject([
      { reason: 'ProjectNotPrepared', what: 'lacks ServiceAccount tiny-agent', fix: 'tiny init demo' },
    ]);
  });

  test.each<[string, KubeObject, string[]]>([
    ['that was just made', session('refactor', { seconds: 5 }), []],
    ['that was never materialised', old(), ['Stuck Session refactor']],
    ['that changed, and nothing came of it', old(materialised(1), 2), ['Stuck Session refactor']],
    ['that is as it should be', old(materialised(1)), []],
    ['that was refused', old(materialised(1, ['False', 'QuotaExceeded'])), ['QuotaExceeded Session refactor']],
    ['that waits for its predecessor', old(materialised(1, ['False', 'PredecessorTerminating'])), []],
  ])('with a Session %s', (_, one, expected) => {
    expect(told(of({ sessions: { value: [one as never] } }))).toEqual(expected);
  });

  test('with a Session of nobody', () => {
    const one = old(materialised(1));
    const { requester: _, ...spec } = one.spec;
    expect(told(of({ sessions: { value: [{ ...one, spec }] } }))).toEqual(['NoRequester Session refactor']);
  });

  test.each<[string, string[]]>([
    ['ImagePullBackOff', ['ImagePullBackOff Pod p']],
    ['CreateContainerConfigError', ['CreateContainerConfigError Pod p']],
    ['ContainerCreating', []],
  ])('with a pod that waits: %s', (reason, expected) => {
    const initContainerStatuses = [
      { name: 'tools', image: 'tiny.dev/agent-tools:0.1.0', state: { waiting: { reason } } },
    ];
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'demo' },
      status: { initContainerStatuses },
    };
    expect(told(of({ pods: { value: [pod] } }))).toEqual(expected);
  });

  test('an error of which stands before any warning, wherever it was found', () => {
    const system = { ...WELL, eventing: withoutSink() };
    const projects = [{ ...PROJECT, sessions: { value: [old()] } }];
    expect(check(observed({ system, projects })).map(({ severity }) => severity)).toEqual([
      'error',
      'warning',
      'warning',
    ]);
  });
});
