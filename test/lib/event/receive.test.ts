import { describe, expect, test } from 'vitest';
import { MAX_EVENT_BYTES, receive, UnreadableEvent } from '../../../lib/event/receive.ts';
import { QUESTIONS, type ResourceType, SESSIONS } from '../../../lib/kube/types.ts';
import captured from '../../fixtures/knative-events.json' with { type: 'json' };
import { fc } from '../../support/fast-check.ts';

const CONFIG_MAPS: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
const DATA = { kind: 'Session', namespace: 'team-a', name: 'f1', apiVersion: 'tiny.dev/v1alpha1' };
const SUBJECT = { kind: 'Session', namespace: 'team-a', name: 'f1' };

type Headers = Record<string, string | string[] | undefined>;

const HEADERS: Headers = {
  'ce-id': '0a247c40-b43b-45a0-a94c-f845c2c5049c',
  'ce-source': 'https://10.96.0.1:443',
  'ce-specversion': '1.0',
  'ce-type': 'dev.knative.apiserver.ref.add',
  'content-type': 'application/json',
};

const event = (data: unknown = DATA, headers: Headers = {}) => ({
  headers: JSON.parse(JSON.stringify({ ...HEADERS, ...headers })) as Headers,
  body: typeof data === 'string' ? data : JSON.stringify(data),
});

const structured = (envelope: object, type = 'application/cloudevents+json') => ({
  headers: { 'content-type': type },
  body: JSON.stringify(envelope),
});

const ENVELOPE = {
  specversion: '1.0',
  id: '1',
  source: '/s',
  type: 'dev.knative.apiserver.ref.update',
  datacontenttype: 'application/json',
  data: DATA,
};

/** The message of the refusal; fails where the event is taken, or anything else is thrown. */
function refusal(message: ReturnType<typeof event>, type: ResourceType = SESSIONS): string {
  try {
    receive(message as never, type);
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableEvent);
    return (error as Error).message;
  }
  throw new Error('the event was taken');
}

describe('what Knative sends', () => {
  const sessions = captured.filter(({ headers }) => headers['ce-type'].includes('.ref.'));
  const others = captured.filter(({ headers }) => headers['ce-type'].includes('.resource.'));

  test('was captured in both modes, dead-lettered too', () => {
    expect([sessions.length, others.length]).toEqual([6, 1]);
    expect(captured.filter(({ headers }) => 'ce-knativeerrorcode' in headers)).toHaveLength(3);
  });

  test.each(sessions)('$note is read', ({ headers, body }) => {
    expect(receive({ headers, body } as never, SESSIONS)).toEqual(SUBJECT);
  });

  test.each(others)('$note is read, once what the capture cut off is added', ({ headers, body }) => {
    expect(refusal({ headers, body }, CONFIG_MAPS)).toMatch(/JSON/);
    const whole = body.replace(/,"managedFields".*/, ',"name":"z1","namespace":"ev"}}');
    expect(receive({ headers, body: whole } as never, CONFIG_MAPS)).toEqual({
      kind: 'ConfigMap',
      namespace: 'ev',
      name: 'z1',
    });
  });

  test.each(sessions)('$note is not taken by a function of another kind', ({ headers, body }) => {
    expect(refusal({ headers, body }, QUESTIONS)).toContain('tiny.dev/v1alpha1 Question');
  });
});

describe('taken is too', () => {
  test.each(['add', 'update', 'delete'])('%s in Resource mode', (verb) => {
    const object = {
      apiVersion: DATA.apiVersion,
      kind: 'Session',
      metadata: { namespace: 'team-a', name: 'f1' },
      spec: {},
    };
    expect(receive(event(object, { 'ce-type': `dev.knative.apiserver.resource.${verb}` }), SESSIONS)).toEqual(SUBJECT);
  });

  test('an event in structured mode', () => {
    expect(receive(structured(ENVELOPE), SESSIONS)).toEqual(SUBJECT);
    expect(receive(structured(ENVELOPE, 'application/cloudevents+json; charset=utf-8'), SESSIONS)).toEqual(SUBJECT);
  });

  test.each(['application/json; charset=utf-8', 'application/json', undefined])('the content type %s', (type) => {
    expect(receive(event(DATA, { 'content-type': type }), SESSIONS)).toEqual(SUBJECT);
  });

  test('a name of 63 characters', () => {
    const name = 'a'.repeat(63);
    expect(receive(event({ ...DATA, name }), SESSIONS).name).toBe(name);
  });

  test('data with more in it, of which nothing is kept', () => {
    const more = JSON.stringify({ ...DATA, uid: 'u', spec: {} }).replace(
      '{',
      '{"__proto__":{"admin":true},"constructor":1,',
    );
    const subject = receive(event(more), SESSIONS);
    expect(subject).toEqual(SUBJECT);
    expect(Object.keys(subject).sort()).toEqual(['kind', 'name', 'namespace']);
    expect(subject).not.toHaveProperty('admin');
    expect({}).not.toHaveProperty('admin');
  });

  test('headers whose names are written otherwise', () => {
    const headers = Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name.toUpperCase(), value]));
    expect(receive({ headers, body: JSON.stringify(DATA) } as never, SESSIONS)).toEqual(SUBJECT);
  });
});

describe('unreadable is', () => {
  test.each(['ce-id', 'ce-source', 'ce-type', 'ce-specversion'])('an event without %s', (name) => {
    refusal(event(DATA, { [name]: undefined }));
    refusal(event(DATA, { [name]: '' }));
  });

  test.each(['id', 'source', 'type', 'specversion', 'data'])('a structured one without %s', (name) => {
    refusal(structured({ ...ENVELOPE, [name]: undefined }));
  });

  test.each([
    ['ce-type', 'dev.knative.apiserver.ref.add, dev.knative.apiserver.ref.add'],
    ['ce-type', 'dev.knative.sources.ping'],
    ['ce-type', 'dev.knative.apiserver.ref.ADD'],
    ['ce-type', 'dev.knative.apiserver.ref.add\n'],
    ['ce-type', 'xdev.knative.apiserver.ref.add'],
    ['ce-type', '__proto__'],
    ['ce-specversion', '0.3'],
    ['ce-specversion', '1.0, 1.0'],
    ['ce-specversion', '2'],
    ['ce-Bad_Name', 'x'],
    ['ce-a-b', 'x'],
  ])('the header %s: %s', (name, value) => {
    refusal(event(DATA, { [name]: value }));
  });

  test.each([
    ['', 'nothing'],
    ['{', 'half an object'],
    ['null', 'null'],
    ['[]', 'a list'],
    ['"text"', 'a text'],
    ['5', 'a number'],
    ['{}', 'an empty object'],
    [JSON.stringify([DATA]), 'an object in a list'],
    [`${JSON.stringify(DATA)}${JSON.stringify(DATA)}`, 'two objects'],
    ['\u0000', 'NUL'],
    [Buffer.from([0xff, 0xfe, 0x7b, 0x7d]).toString('utf8'), 'no UTF-8'],
    [`{"__proto__":${JSON.stringify(DATA)}}`, 'all in the prototype'],
    ['{"a":'.repeat(50_000), 'deep'],
    [`[${'['.repeat(100_000)}`, 'deep lists'],
  ])('a body %j: %s', (body) => {
    refusal(event(body));
    refusal(event(body, { 'content-type': 'text/plain' }));
    refusal(event(body, { 'content-type': 'application/cloudevents+json' }));
    refusal(event(body, { 'content-type': 'application/cloudevents-batch+json' }));
  });

  test.each([
    'a/b',
    '../x',
    '..',
    '.',
    '',
    'A',
    'Fix',
    'a'.repeat(64),
    'a b',
    '-a',
    'a-',
    'a\n',
    'a%2fb',
    'ä',
    'a.b',
    'a?x',
    'a#x',
  ])('the name %j', (name) => {
    refusal(event({ ...DATA, name }));
    refusal(event({ ...DATA, namespace: name }));
  });

  test.each([1, null, true, {}, ['f1']])('a name that is %j', (name) => {
    expect(refusal(event({ ...DATA, name }))).toBe('the data has no fitting name');
  });

  test.each([
    { kind: 'Secret' },
    { kind: 'session' },
    { apiVersion: 'v1' },
    { apiVersion: 'tiny.dev/v1' },
    { kind: 1 },
  ])('another kind of object: %j', (other) => {
    refusal(event({ ...DATA, ...other }));
  });

  test('the object of one mode under the type of the other', () => {
    const object = { apiVersion: DATA.apiVersion, kind: 'Session', metadata: { namespace: 'team-a', name: 'f1' } };
    refusal(event(object));
    refusal(event(DATA, { 'ce-type': 'dev.knative.apiserver.resource.add' }));
  });

  test('a batch', () => {
    const batch = (list: unknown) => ({
      ...structured([], 'application/cloudevents-batch+json'),
      body: JSON.stringify(list),
    });
    expect(refusal(batch([ENVELOPE]))).toBe('a batch of events is not taken');
    refusal(batch([]));
    refusal(batch({}));
  });

  test('more than an event can be', () => {
    refusal(event({ ...DATA, padding: 'x'.repeat(3 * 1024 * 1024) }));
    refusal(event({ ...DATA, padding: 'ä'.repeat(MAX_EVENT_BYTES / 2) }));
    refusal(event('x'.repeat(3 * 1024 * 1024)));
    refusal(structured({ ...ENVELOPE, padding: 'x'.repeat(3 * 1024 * 1024) }));
  });

  test('no headers, or lists of them', () => {
    refusal({ headers: {}, body: JSON.stringify(DATA) });
    refusal(event(DATA, { 'ce-type': ['a', 'b'] }));
    refusal(event(DATA, { 'ce-id': ['a', 'b'], 'content-type': ['application/json'] }));
  });
});

test('a refusal quotes nothing of the event', () => {
  const SECRET = 'hunter2-hunter2';
  const odd = [
    event({ ...DATA, name: SECRET.toUpperCase() }),
    event({ ...DATA, kind: SECRET }),
    event({ [SECRET]: SECRET }),
    event(SECRET),
    event(`{"a": ${SECRET}`),
    event(DATA, { 'ce-type': SECRET }),
    event(DATA, { 'ce-specversion': SECRET }),
    event(DATA, { [`ce-${SECRET}`]: SECRET }),
    event(DATA, { 'ce-id': undefined, authorization: SECRET }),
    structured({ ...ENVELOPE, [SECRET]: { a: SECRET } }),
    structured({ ...ENVELOPE, data: SECRET }),
    structured({ ...ENVELOPE, data: undefined, data_base64: SECRET }),
  ];
  for (const message of odd) expect(refusal(message).toLowerCase()).not.toContain('hunter2');
});

test('whatever comes, it is read or unreadable, and nothing else is thrown', () => {
  const text = fc.oneof(fc.json(), fc.string({ unit: 'binary' }));
  const header = fc.oneof(
    fc.constantFrom(...Object.keys(HEADERS), 'ce-datacontenttype', 'ce-time', '__proto__'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.dictionary(header, fc.string()), text, (headers, body) => {
      try {
        receive({ headers: { ...HEADERS, ...headers }, body }, SESSIONS);
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableEvent);
      }
    }),
  );
});
