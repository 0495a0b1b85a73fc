import { describe, expect, test } from 'vitest';
import type { Person } from '../../../lib/api/meta.ts';
import type { AdmissionRequest } from '../../../local/admission/request.ts';
import { admit, CHANGED_BY } from '../../../local/admission/stamp.ts';
import type { Stored } from '../../../local/types.ts';

const alice: Person = {
  username: 'alice',
  groups: ['dev', 'system:authenticated'],
  extra: { 'example.dev/team': ['x'] },
};
const bob: Person = { username: 'bob', groups: ['system:authenticated'] };
const agent = (over: Partial<Person> = {}): Person => ({
  username: 'system:serviceaccount:demo:tiny-agent',
  uid: 'sa',
  extra: { 'authentication.kubernetes.io/pod-name': ['p'], 'authentication.kubernetes.io/pod-uid': ['pod-1'] },
  ...over,
});

const thing = (kind: 'Session' | 'Question', name: string, rest: object): Stored => ({
  apiVersion: 'tiny.dev/v1alpha1',
  kind,
  metadata: { name, namespace: 'demo', uid: `${name}-uid` },
  ...rest,
});
const session = (spec: object, status?: object) => thing('Session', 's', { spec, ...(status && { status }) });
const question = (spec: object) => thing('Question', 'q', { spec });

const request = (over: Partial<AdmissionRequest> & Pick<AdmissionRequest, 'object'>): AdmissionRequest => ({
  operation: over.old ? 'UPDATE' : 'CREATE',
  resource: { group: 'tiny.dev', plural: over.object.kind === 'Session' ? 'sessions' : 'questions' },
  subresource: '',
  user: alice,
  podSession: (namespace, pod, uid) =>
    namespace === 'demo' && pod === 'p' && uid === 'pod-1' ? { name: 's', uid: 's-uid' } : undefined,
  ...over,
});

describe('the requester of a Session', () => {
  const requesterOf = (over: Parameters<typeof request>[0]) =>
    (admit(request(over)).spec as { requester?: Person }).requester;
  const old = session({ prompt: 'x', requester: alice });

  test.each<[string, Parameters<typeof request>[0], Person]>([
    ['is who makes it', { object: session({ prompt: 'x' }) }, alice],
    ['is not whom the maker names', { object: session({ prompt: 'x', requester: bob }) }, alice],
    [
      'is another once another changes the spec',
      { object: session({ prompt: 'x', suspend: true, requester: alice }), old, user: bob },
      bob,
    ],
    ['stays where another changes nothing', { object: old, old, user: bob }, alice],
    [
      'stays where another changes a label',
      { object: { ...old, metadata: { ...old.metadata, labels: { a: '1' } } }, old, user: bob },
      alice,
    ],
    [
      'loses a group that its person has lost, once that person changes the spec',
      { object: session({ prompt: 'x', suspend: true, requester: alice }), old, user: { ...alice, groups: ['other'] } },
      { ...alice, groups: ['other'] },
    ],
    ['is put back where a client writes it', { object: session({ prompt: 'x', requester: bob }), old }, alice],
    ['is put back where a client removes it', { object: session({ prompt: 'x' }), old, user: bob }, alice],
    [
      'is stamped where it was missing and the spec changes',
      { object: session({ prompt: 'y' }), old: session({ prompt: 'x' }), user: bob },
      bob,
    ],
    [
      'is another for another uid of the same name',
      { object: session({ prompt: 'y' }), old, user: { ...alice, uid: '2' } },
      { ...alice, uid: '2' },
    ],
  ])('%s', (_, over, who) => {
    expect(requesterOf(over)).toEqual(who);
  });

  test('is not invented where it is missing and nothing changes', () => {
    const bare = session({ prompt: 'x' });
    expect(requesterOf({ object: bare, old: bare, user: bob })).toBeUndefined();
  });
});

describe('who answered a Question', () => {
  const open = question({ session: 's', kind: 'Ask', text: '?' });
  const answered = (answer: object) => question({ session: 's', text: '?', answer });
  const byOf = (over: Parameters<typeof request>[0]) =>
    (admit(request(over)).spec as { answer?: { by?: Person } }).answer?.by;

  test.each<[string, Parameters<typeof request>[0], Person]>([
    ['is who sets the answer', { object: answered({ option: 'y' }), old: open, user: bob }, bob],
    ['is not whom the answerer names', { object: answered({ option: 'y', by: alice }), old: open, user: bob }, bob],
    [
      'stays who it was',
      { object: answered({ option: 'n', by: bob }), old: answered({ option: 'y', by: alice }), user: bob },
      alice,
    ],
    [
      'stays where a client removes it',
      { object: answered({ option: 'y' }), old: answered({ option: 'y', by: alice }), user: bob },
      alice,
    ],
  ])('%s', (_, over, who) => {
    expect(byOf(over)).toEqual(who);
  });

  test('is nobody while it is open', () => {
    expect(admit(request({ object: open }))).toEqual(open);
  });
});

describe('a Question that is answered and not yet acted on', () => {
  const answer = { option: 'deny', by: bob };
  const entry = { manager: 'tiny', operation: 'Update', time: '2026-11-30T12:00:00Z' } as const;
  const owning = { ...entry, fieldsV1: { 'f:spec': { 'f:answer': {} } } };
  const withMeta = (metadata: object, status?: object): Stored => {
    const { metadata: own, ...rest } = question({ session: 's', text: '?', answer });
    return { ...rest, metadata: { ...own, managedFields: [owning], ...metadata }, ...(status && { status }) } as Stored;
  };
  const told = (object: Stored, old = withMeta({}), over: object = {}) => {
    try {
      admit(request({ object, old, ...over }));
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const TOUCHED = { annotations: { 'tiny.dev/touched': 'x' } };
  const acted = { conditions: [{ type: 'Acted', status: 'True', reason: 'Denied', message: '' }] };

  test.each<[string, object, string]>([
    ['a label', { labels: { a: '1' } }, 'nothing of it changes but the annotation tiny.dev/touched'],
    ['an annotation', { annotations: { a: '1' } }, 'nothing of it changes'],
    ['an owner', { ownerReferences: [] }, 'nothing of it changes'],
    [
      'the time of its answer',
      { ...TOUCHED, managedFields: [{ ...owning, time: '2026-11-30T11:00:00Z' }] },
      'managedFields keep',
    ],
    ['who set its answer', { ...TOUCHED, managedFields: [] }, 'managedFields keep'],
  ])('keeps %s', (_, metadata, why) => {
    expect(told(withMeta(metadata))).toContain(why);
  });

  test('keeps all where the same answer comes again', () => {
    const again = withMeta({ managedFields: [{ ...owning, time: '2026-11-30T13:00:00Z' }] });
    expect(admit(request({ object: again, old: withMeta({}) }))).toEqual(withMeta({}));
  });

  test('can be touched by another manager', () => {
    const touch = { ...entry, manager: 'tiny-touch', time: '2026-11-30T13:00:00Z' };
    expect(told(withMeta({ ...TOUCHED, managedFields: [owning, touch] }))).toBeUndefined();
  });

  test('no longer stays once it is acted on, or goes; and its status is not held', () => {
    const label = { labels: { a: '1' } };
    expect(told(withMeta(label, acted), withMeta({}, acted))).toBeUndefined();
    const going = { deletionTimestamp: '2026-11-30T12:00:00Z' };
    expect(told(withMeta({ ...label, ...going }), withMeta(going))).toBeUndefined();
    expect(told(withMeta(label), withMeta({}), { subresource: 'status' })).toBeUndefined();
  });
});

describe('who changed the settings', () => {
  const settings = (data: object, by?: Person, name = 'tiny-settings'): Stored => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'demo', ...(by && { annotations: { [CHANGED_BY]: JSON.stringify(by) } }) },
    data,
  });
  const changedBy = (object: Stored, old?: Stored) => {
    const { metadata } = admit(request({ resource: { group: '', plural: 'configmaps' }, object, old, user: bob }));
    return metadata.annotations?.[CHANGED_BY];
  };

  test.each<[string, Stored, Stored | undefined, Person]>([
    ['is who makes them', settings({}), undefined, bob],
    ['is who changes them', settings({ a: '1' }, alice), settings({}, alice), bob],
    ['stays where nothing changes', settings({ a: '1' }, bob), settings({ a: '1' }, alice), alice],
  ])('%s', (...[, object, old, who]) => {
    expect(JSON.parse(changedBy(object, old) ?? '')).toEqual(who);
  });

  test('is not said of another ConfigMap', () => {
    expect(changedBy(settings({}, undefined, 'other'))).toBeUndefined();
  });
});

describe('a Permit or a Spawn', () => {
  const asked = (kind: string, user: Person) =>
    admit(request({ object: thing('Question', 's-0123456789', { spec: { session: 's', kind } }), user }));

  test.each(['Permit', 'Spawn'])('is asked by the agent of the project alone: %s', (kind) => {
    const elsewhere = { username: 'system:serviceaccount:other:tiny-agent' };
    for (const user of [alice, { username: 'system:serviceaccount:demo:ci' }])
      expect(() => asked(kind, user)).toThrow('only an agent asks for a permission');
    expect(() => asked(kind, elsewhere)).toThrow();
    expect(asked(kind, agent()).metadata.name).toBe('s-0123456789');
  });

  test('is not an Ask, which anyone may make', () => {
    expect(asked('Ask', alice).metadata.name).toBe('s-0123456789');
  });
});

describe('an agent', () => {
  const condition = (type: string, status = 'True') => ({ type, status, reason: 'R', message: '' });
  const refused = (over: Parameters<typeof request>[0]) => {
    try {
      admit(request({ user: agent(), ...over }));
      return undefined;
    } catch (error) {
      return error as Error & { code: number };
    }
  };
  const reports = (status: object, old: object = {}, over: object = {}) =>
    refused({ object: session({}, status), old: session({}, old), subresource: 'status', ...over });

  test.each<[string, object, object]>([
    ['its line', { message: 'works' }, {}],
    ['its conditions', { conditions: [condition('Ready'), condition('Waiting'), condition('Finished')] }, {}],
    [
      'them beside the functions’',
      { conditions: [condition('Suspended'), condition('Ready')] },
      { conditions: [condition('Suspended')] },
    ],
    [
      'the same in another order',
      { conditions: [condition('Suspended'), condition('Materialised')] },
      { conditions: [condition('Materialised'), condition('Suspended')] },
    ],
  ])('reports %s', (_, status, old) => {
    expect(reports(status, old)).toBeUndefined();
  });

  test.each<[string, object, object]>([
    ['sets a condition of the functions', { conditions: [condition('Materialised')] }, {}],
    ['changes one', { conditions: [condition('Suspended', 'False')] }, { conditions: [condition('Suspended')] }],
    ['removes one', {}, { conditions: [condition('Suspended')] }],
  ])('is refused where it %s', (_, status, old) => {
    expect(reports(status, old)).toMatchObject({ code: 403, message: expect.stringContaining("functions' to set") });
  });

  const other = thing('Session', 't', { status: {} });
  const successor = { ...session({}, {}), metadata: { name: 's', namespace: 'demo', uid: 'later' } };
  const elsewhere = { ...session({}, {}), metadata: { name: 's', namespace: 'x', uid: 's-uid' } };
  test.each<[string, Parameters<typeof request>[0], string]>([
    ['another Session', { object: other, old: other, subresource: 'status' }, 'on its own Session only'],
    [
      'a later Session of the same name',
      { object: successor, old: successor, subresource: 'status' },
      'on its own Session only',
    ],
    ['a Session of another project', { object: elsewhere, old: elsewhere, subresource: 'status' }, 'not bound'],
    ['a spec', { object: session({ prompt: 'y' }), old: session({ prompt: 'x' }) }, 'ask with a Question'],
    ['a new Session', { object: session({}) }, 'ask with a Question'],
    ['the end of its Session', { operation: 'DELETE', object: session({}) }, 'ask with a Question'],
    ['anything without a pod', { object: question({ session: 's' }), user: agent({ extra: {} }) }, 'not bound'],
    [
      'anything with a pod that is gone',
      { object: question({ session: 's' }), podSession: () => undefined },
      'not bound',
    ],
    ['a Question of another Session', { object: question({ session: 't' }) }, 'set spec.session to it'],
    ['a Question with an answer', { object: question({ session: 's', answer: { option: 'y' } }) }, 'a person answers'],
    [
      'an answer',
      { object: question({ session: 's', answer: { option: 'y' } }), old: question({ session: 's' }) },
      'a person answers',
    ],
    [
      'a Question’s status',
      { object: question({ session: 's' }), old: question({ session: 's' }), subresource: 'status' },
      'a person answers',
    ],
    ['a Question’s end', { operation: 'DELETE', object: question({ session: 's' }) }, 'a person answers'],
  ])('is refused %s', (_, over, why) => {
    expect(refused(over)).toMatchObject({ code: 403, reason: 'Forbidden', message: expect.stringContaining(why) });
  });

  test('asks in the name of its Session', () => {
    const asked = (name: string) => refused({ object: thing('Question', name, { spec: { session: 's' } }) });
    expect(asked('s-0123456789')).toBeUndefined();
    for (const taken of ['s-t-0123456789', 't-0123456789', 's-012345678', 's'])
      expect(asked(taken)?.message).toContain('is named after its Session');
  });

  test('is refused in words that name the object', () => {
    expect(refused({ object: question({ session: 't' }) })?.message).toMatch(
      /^questions\.tiny\.dev "q" is forbidden: the agent of Session "s"/,
    );
  });

  test('is nobody else', () => {
    const person = { username: 'system:serviceaccount:demo:tiny-agent-2' };
    expect(refused({ object: session({}), user: person })).toBeUndefined();
  });
});
