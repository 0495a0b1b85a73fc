import { afterAll, beforeAll, expect, it } from 'vitest';
import { find } from '../../../local/api/jsonpath.ts';
import { type Body, CORE, SESSIONS, type Server, session, startServer } from './support.ts';

let server: Server;
let now = new Date('2026-01-01T00:00:00Z');
const ask: Server['ask'] = (...args) => server.ask(...args);
beforeAll(async () => {
  server = await startServer({ now: () => now });
});
afterAll(() => server.close());

/** Names and cells of the columns that are shown without `-o wide`. */
function shown({ columnDefinitions, rows }: Body): unknown[][] {
  const narrow = (_: unknown, at: number) => columnDefinitions[at].priority === 0;
  const names = columnDefinitions.map(({ name }: Body) => name);
  return [names, ...rows.map(({ cells }: Body) => cells)].map((each) => each.filter(narrow));
}

it('prints the columns of a definition', async () => {
  await ask('POST', SESSIONS, session('one'));
  const conditions = [
    { type: 'Suspended', status: 'False', reason: 'Running', message: '', lastTransitionTime: now.toISOString() },
    { type: 'Ready', status: 'True', reason: 'Working', message: '', lastTransitionTime: now.toISOString() },
  ];
  await ask('MERGE', `${SESSIONS}/one/status`, { status: { message: 'reading', conditions } });
  now = new Date('2026-01-01T00:05:30Z');
  const { body } = await ask('TABLE', SESSIONS);
  expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
  const [header = [], row = []] = shown(body);
  const cells = Object.fromEntries(header.map((name, at) => [name, row[at]]));
  expect(cells).toMatchObject({ Name: 'one', Agent: 'rehearsal', State: 'Working', Message: 'reading', Age: '5m30s' });
  expect(body.rows[0].object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'one' } });
});

it('prints pods as people know them', async () => {
  const spec = {
    containers: [{ name: 'a', image: 'x' }],
    initContainers: [{ name: 's', image: 'x', restartPolicy: 'Always' }],
  };
  await ask('POST', `${CORE}/pods`, { metadata: { name: 'p' }, spec });
  const containerStatuses = [
    { name: 'a', ready: false, restartCount: 2, state: { waiting: { reason: 'CrashLoopBackOff' } } },
  ];
  const initContainerStatuses = [{ name: 's', ready: true, restartCount: 0, state: { running: {} } }];
  await ask('MERGE', `${CORE}/pods/p/status`, {
    status: { phase: 'Running', containerStatuses, initContainerStatuses },
  });
  expect(shown((await ask('TABLE', `${CORE}/pods`)).body)).toEqual([
    ['Name', 'Ready', 'Status', 'Restarts', 'Age'],
    ['p', '1/2', 'CrashLoopBackOff', 2, '0s'],
  ]);
});

it('prints one object as a table, and a refusal as it is', async () => {
  expect(shown((await ask('TABLE', '/api/v1/namespaces/work')).body)[1]).toEqual(['work', 'Active', '5m30s']);
  expect((await ask('TABLE', `${CORE}/pods/none`)).body.kind).toBe('Status');
});

it.each([
  ['.spec.a', [1]],
  ['.spec.list[*].n', ['one', 'two']],
  ['.spec.list[?(@.t=="B")].n', ['two']],
  ['.spec.nope.further', []],
])('finds %s', (path, found) => {
  const spec = {
    a: 1,
    list: [
      { t: 'A', n: 'one' },
      { t: 'B', n: 'two' },
    ],
  };
  expect(find({ spec }, path)).toEqual(found);
});
