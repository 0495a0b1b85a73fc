import { describe, expect, test } from 'vitest';
import { questionSpec } from '../../../lib/api/question.ts';
import { questionRules } from '../../../lib/api/question-rules.ts';
import { violations } from '../../../lib/api/rule.ts';
import { sessionSpec } from '../../../lib/api/session.ts';
import { sessionRules } from '../../../lib/api/session-rules.ts';
import { changedFields } from '../../../lib/install/difference.ts';
import { withRegistry, withRegistryTold } from '../../../lib/install/images.ts';
import { judgeQuestion, judgeSession, probePolicies } from '../../../lib/install/probe.ts';
import { makeSettings } from '../../../lib/install/settings.ts';
import { untilEstablished, untilInForce } from '../../../lib/install/wait.ts';
import { ApiError } from '../../../lib/kube/errors.ts';
import type { Client } from '../../../lib/kube/types.ts';

const object = (more: object = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, ...more });

describe('what changes', () => {
  test.each([
    ['nothing', { data: { a: '1' } }, { data: { a: '1' } }, []],
    ['a field', { data: { a: '1' } }, { data: { a: '2' } }, ['data.a']],
    ['a field more', { data: {} }, { data: { a: '2' } }, ['data.a']],
    [
      'one of a list',
      { rules: [{ verbs: ['get', 'list'] }] },
      { rules: [{ verbs: ['get', 'watch'] }] },
      ['rules[0].verbs[1]'],
    ],
    ['a list of another length', { rules: [1] }, { rules: [1, 2] }, ['rules']],
    ['its status alone', { status: { a: 1 } }, { status: { a: 2 } }, []],
  ])('%s', (...[, before, after, fields]) => expect(changedFields(object(before), object(after))).toEqual(fields));

  test('is never what the server counts', () => {
    const before = { metadata: { name: 'm', resourceVersion: '1', generation: 1, uid: 'a', managedFields: [] } };
    const after = { metadata: { name: 'm', resourceVersion: '2', generation: 2, uid: 'b', managedFields: [{}] } };
    expect(changedFields(before, after)).toEqual([]);
  });
});

test("another registry is for tiny's own images, and for no other", () => {
  const pod = {
    containers: [{ image: 'tiny.dev/function-session:0.1.0' }, { image: 'other.dev/tiny.dev/x' }],
    image: 5,
  };
  expect(withRegistry(object({ pod }), 'registry.example:5000/team/')).toMatchObject({
    pod: {
      containers: [{ image: 'registry.example:5000/team/function-session:0.1.0' }, { image: 'other.dev/tiny.dev/x' }],
      image: 5,
    },
  });
});

describe('where the images of pods are', () => {
  const service = (image: string) => ({
    ...object({ spec: { template: { spec: { containers: [{ image, env: [{ name: 'A', value: 'b' }] }] } } } }),
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
  });
  const envOf = (told: object) =>
    (told as ReturnType<typeof service> & { spec: { template: { spec: { containers: { env: object[] }[] } } } }).spec
      .template.spec.containers[0]?.env;

  test("is told to a function of tiny's own", () => {
    expect(envOf(withRegistryTold(service('tiny.dev/function-session:0.1.0'), 'registry.example/'))).toEqual([
      { name: 'A', value: 'b' },
      { name: 'TINY_REGISTRY', value: 'registry.example' },
    ]);
  });

  test('is told to nobody else', () => {
    const other = service('other.example/x');
    expect(withRegistryTold(other, 'registry.example')).toEqual(other);
    const plain = { ...service('tiny.dev/x'), apiVersion: 'v1' };
    expect(withRegistryTold(plain, 'registry.example')).toBe(plain);
  });
});

describe('settings at first', () => {
  const who = { username: 'olga', groups: ['owners'], extra: { b: ['2'], a: ['1'] } };

  test('set nothing: policies look for keys', () => {
    expect(Object.keys(makeSettings('team', who).data)).toEqual(['about.txt']);
  });

  test('say who made them as the policy says it', () => {
    expect(makeSettings('team', who).metadata.annotations).toEqual({
      'tiny.dev/changed-by': '{"username":"olga","groups":["owners"],"extra":{"a":["1"],"b":["2"]}}',
    });
  });
});

const denied = (message: string, code = 403) => new ApiError(code, { message });
const POLICY = denied("ValidatingAdmissionPolicy 'tiny-requester' with binding 'tiny-requester' denied request: …");
const made = (username?: string) =>
  ({ ...object(), spec: { requester: username ? { username } : undefined } }) as never;

describe('a policy is in force', () => {
  test.each([
    ['when the lie was overruled', made('olga'), true, true],
    ['not when the lie stands', made('tiny:nobody'), true, false],
    ['not when nobody is named', made(), true, false],
    ['when the lie was refused, where nobody stamps', POLICY, false, true],
    ['not yet when it is only refused, where somebody stamps', POLICY, true, false],
    ['not while it answers 503', denied('policy not yet synced', 503), true, false],
  ])('%s', (...[, answer, stamps, inForce]) => expect(judgeSession(answer, stamps).inForce).toBe(inForce));

  test('or not: what is tried breaks no rule of the resources, which would be refused by them', async () => {
    const tried: Record<string, { metadata: object; spec: unknown }> = {};
    const request = async (_: string, path: string, body: never) => {
      expect(path).toContain('dryRun=All');
      tried[/[^/]*(?=\?)/.exec(path)?.[0] ?? ''] = body;
      return body;
    };
    await probePolicies({ request } as unknown as Client, { namespace: 'n', stamps: true });
    const { sessions, questions } = tried;
    const wrong = [
      ...violations(sessionRules, { ...sessions, spec: sessionSpec.parse(sessions?.spec) }),
      ...violations(questionRules, { ...questions, spec: questionSpec.parse(questions?.spec) }),
    ];
    expect(wrong).toEqual([]);
  });

  test('over Questions when what no settings allow is refused', () => {
    expect([judgeQuestion(POLICY).inForce, judgeQuestion(made('x')).inForce]).toEqual([true, false]);
  });

  test('or not to be tried by whoever may not make a Session', () => {
    expect(judgeSession(denied('User "x" cannot create resource "sessions"'), true).untried).toBe(true);
  });
});

describe('waiting', () => {
  const waits: number[] = [];
  const patience = { wait: async (ms: number) => waits.push(ms), limit: 1000 };

  test('for policies ends when all are seen twice', async () => {
    let asked = 0;
    const client = {
      request: async (_: string, path: string) => {
        asked += 1;
        if (asked <= 4) throw denied('not yet', 503);
        if (path.includes('/questions')) throw POLICY;
        return made('olga');
      },
    } as unknown as Client;
    expect(await untilInForce(client, { namespace: 'n', stamps: true }, patience)).toEqual([]);
    expect(asked).toBe(8);
  });

  test('for policies is not for ever, and says what was seen', async () => {
    const client = { request: async () => Promise.reject(denied('not yet', 503)) } as unknown as Client;
    const open = await untilInForce(client, { namespace: 'n', stamps: true }, patience);
    expect(open.map(({ what, saw }) => `${what} ${saw}`)).toEqual(['Session not yet', 'Question not yet']);
  });

  test('for definitions names those that are not established', async () => {
    const definitions = ['a', 'b'].map((name) => ({
      ...object(),
      kind: 'CustomResourceDefinition',
      metadata: { name },
    }));
    const client = {
      get: async (_: unknown, { name }: { name: string }) => ({
        status: { conditions: [{ type: 'Established', status: name === 'a' ? 'True' : 'False' }] },
      }),
    } as unknown as Client;
    expect(await untilEstablished(client, definitions, patience)).toEqual(['b']);
  });
});
