import { describe, expect, test } from 'vitest';
import type { Condition, Stored } from '../../../lib/api/meta.ts';
import type { Session } from '../../../lib/api/session.ts';
import { SESSIONS } from '../../../lib/kube/types.ts';
import { NOTHING, type Refusal, type Report } from '../../../lib/plan.ts';
import { planSession, sessions } from '../../../lib/session/plan.ts';
import { ALICE, at, condition, makeSession, NOW } from '../../support/objects.ts';

type Parts = Parameters<typeof makeSession>[0];

const own = { observedGeneration: 1, lastTransitionTime: at(-60) };
const materialised = condition('Materialised', 'True', {
  reason: 'Materialised',
  message: 'all its objects are made',
  ...own,
});
const running = condition('Suspended', 'False', { reason: 'Running', message: 'the workload is at one', ...own });
const starting = condition('Ready', 'False', { reason: 'Starting', message: 'the agent is starting', ...own });
const working = condition('Ready', 'True', { reason: 'Working' });
const finished = condition('Finished', 'True', { reason: 'Completed' });
const waiting = condition('Waiting', 'True', { reason: 'Question' });
const changing = condition('Suspended', 'Unknown', { reason: 'Changing', ...own });
const atZero = (reason: string) => condition('Suspended', 'True', { reason, ...own });

const withConditions = (conditions: Condition[], parts: Parts = {}) =>
  makeSession({ ...parts, status: { conditions, ...parts?.status } });

const writes = (session: Stored<Session>) =>
  planSession(session, NOW).ensure.map(({ type, object, known, mode }) => {
    const { replicas } = (object as { spec?: { replicas?: number } }).spec ?? {};
    return `${known ? 'find' : 'make'} ${type.kind}${replicas === undefined ? '' : ` ${replicas}`} ${mode}`;
  });

const told = (report: Report | undefined) =>
  (report?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);

const tells = (session: Stored<Session>) => told(planSession(session, NOW).report);

const ALL = ['PersistentVolumeClaim apply', 'Secret create', 'NetworkPolicy apply'];
const making = (replicas: number) => [...ALL.map((one) => `make ${one}`), `make Deployment ${replicas} apply`];
const finding = (replicas: number) => [
  'find PersistentVolumeClaim apply',
  'make Secret create',
  'find NetworkPolicy apply',
  `find Deployment ${replicas} apply`,
];

interface Row {
  given: string;
  session: Stored<Session>;
  writes: string[];
  tells: string[];
}

const M = 'Materialised=True Materialised';
const ONE = 'Suspended=False Running';
const changed = { metadata: { generation: 2 } };

const rows: Row[] = [
  { given: 'a new one', session: makeSession(), writes: making(1), tells: [M, ONE, 'Ready=False Starting'] },
  {
    given: 'a new one that is suspended',
    session: makeSession({ spec: { suspend: true } }),
    writes: making(0),
    tells: [M, 'Suspended=True Requested', 'Ready=False Suspended'],
  },
  {
    given: 'a new one whose deadline has passed',
    session: makeSession({ spec: { deadline: '1m' } }),
    writes: making(0),
    tells: [M, 'Suspended=True Deadline', 'Ready=False Suspended'],
  },
  { given: 'one that starts', session: withConditions([materialised, running, starting]), writes: [], tells: [] },
  { given: 'one that works', session: withConditions([materialised, running, working]), writes: [], tells: [] },
  {
    given: 'a changed one that works',
    session: withConditions([materialised, running, working], changed),
    writes: finding(1),
    tells: [M, ONE],
  },
  {
    given: 'a changed one that starts',
    session: withConditions([materialised, running, starting], changed),
    writes: finding(1),
    tells: [M, ONE, 'Ready=False Starting'],
  },
  {
    given: 'one that is suspended now',
    session: withConditions([materialised, running, working], { ...changed, spec: { suspend: true } }),
    writes: finding(0),
    tells: [M, 'Suspended=True Requested', 'Ready=False Suspended'],
  },
  {
    given: 'one that is resumed',
    session: withConditions(
      [materialised, atZero('Requested'), condition('Ready', 'False', { reason: 'Suspended' })],
      changed,
    ),
    writes: finding(1),
    tells: [M, ONE, 'Ready=False Starting'],
  },
  {
    given: 'one that has finished',
    session: withConditions([materialised, changing, finished, condition('Ready', 'False', { reason: 'Finished' })]),
    writes: ['find Deployment 0 apply'],
    tells: [M, 'Suspended=True Finished', 'Ready=False Finished'],
  },
  {
    given: 'one that has finished and got a message',
    session: withConditions([materialised, atZero('Finished'), finished], {
      ...changed,
      spec: { messages: [{ id: 'm', text: 't' }] },
      status: { messagesRead: 0 },
    }),
    writes: finding(1),
    tells: [M, ONE, 'Ready=False Starting'],
  },
  {
    given: 'one whose deadline has passed',
    session: withConditions([materialised, changing, working], { spec: { deadline: '2m' } }),
    writes: ['find Deployment 0 apply'],
    tells: [M, 'Suspended=True Deadline', 'Ready=False Suspended'],
  },
  {
    given: 'one that waits longer than it may',
    session: withConditions([materialised, changing, waiting, working], { spec: { idle: { suspendAfter: '1m' } } }),
    writes: ['find Deployment 0 apply'],
    tells: [M, 'Suspended=True Idle', 'Ready=False Suspended'],
  },
  {
    given: 'one that waited and was answered',
    session: withConditions([materialised, changing, { ...waiting, status: 'False' }], {
      spec: { idle: { suspendAfter: '1m' } },
    }),
    writes: ['find Deployment 1 apply'],
    tells: [M, ONE, 'Ready=False Starting'],
  },
  {
    given: 'one that was refused earlier',
    session: withConditions([condition('Materialised', 'False', { reason: 'Forbidden', observedGeneration: 1 })]),
    writes: making(1),
    tells: [M, ONE, 'Ready=False Starting'],
  },
];

describe.each(rows)('given $given', ({ session, writes: expected, tells: words }) => {
  test('these are the writes, in this order', () => expect(writes(session)).toEqual(expected));
  test('this is told', () => expect(tells(session)).toEqual(words));
  test('it is done as the requester', () => expect(planSession(session, NOW).actor).toEqual(ALICE));

  test('and once it is told, nothing is left to do', () => {
    const { report } = planSession(session, NOW);
    const before = session.status?.conditions ?? [];
    const said = report?.conditions ?? [];
    const kept = before.filter(({ type }) => !said.some((one) => one.type === type));
    const after = { ...session, status: { ...session.status, conditions: [...kept, ...said] } };
    expect(planSession(after, NOW)).toEqual({ actor: ALICE, ensure: [], remove: [] });
  });
});

describe('a change of the workload that the spec did not ask for', () => {
  const rests = condition('Ready', 'False', { reason: 'Suspended' });
  test.each([
    ['the agent has finished', withConditions([materialised, running, finished, working]), []],
    ['the deadline has passed', withConditions([materialised, running, working], { spec: { deadline: '2m' } }), []],
    ['the answer has come', withConditions([materialised, atZero('Idle'), rests]), ['Ready=False Suspended']],
  ])('is announced and not yet made: %s', (_, session, ready) => {
    expect(planSession(session, NOW)).toMatchObject({ ensure: [], remove: [], again: true });
    expect(tells(session)).toEqual([M, ...ready, 'Suspended=Unknown Changing']);
  });

  test('is made where it was announced, even if it turns out to be none', () => {
    expect(writes(withConditions([materialised, changing, working]))).toEqual(['find Deployment 1 apply']);
  });
});

test('one that is being deleted needs nothing', () => {
  expect(planSession(makeSession({ metadata: { deletionTimestamp: at(-1) } }), NOW)).toEqual(NOTHING);
});

test('one that is past its retention is deleted, by its uid', () => {
  const session = withConditions([materialised, atZero('Finished'), finished], { spec: { ttlAfterFinished: '1m' } });
  expect(planSession(session, NOW)).toEqual({
    actor: ALICE,
    ensure: [],
    remove: [{ type: SESSIONS, ref: { name: 'fix', namespace: 'team-a' }, precondition: { uid: 'uid-of-fix' } }],
  });
});

test('a report says at which generation it was so, and since when', () => {
  const [first] = planSession(makeSession({ metadata: { generation: 3 } }), NOW).report?.conditions ?? [];
  expect(first).toEqual({
    type: 'Materialised',
    status: 'True',
    reason: 'Materialised',
    message: 'all its objects are made',
    observedGeneration: 3,
    lastTransitionTime: at(0),
  });
});

test('a report never takes the agent’s conditions', () => {
  for (const { session } of rows) {
    const types = planSession(session, NOW).report?.conditions.map(({ type }) => type) ?? [];
    expect(types).not.toContain('Waiting');
    expect(types).not.toContain('Finished');
  }
});

describe('a refusal', () => {
  const forbidden: Refusal = { reason: 'Forbidden', message: 'no', passes: false };
  const refuse = (session: Stored<Session>, refusal = forbidden) => sessions.refused(session, refusal, NOW);

  test('of a new one is told on Materialised and on what kubectl shows', () => {
    expect(told(refuse(makeSession()))).toEqual(['Materialised=False Forbidden', 'Ready=False Forbidden']);
  });

  test('of one whose agent works leaves Ready to the agent', () => {
    expect(told(refuse(withConditions([materialised, running, working])))).toEqual([
      'Materialised=False Forbidden',
      'Suspended=False Running',
    ]);
  });

  test('of one whose agent has not spoken yet does not take Ready away', () => {
    const session = withConditions([materialised, running, starting], changed);
    expect(told(refuse(session))).toContain('Ready=False Forbidden');
  });

  test('that changes into another goes on to be told on Ready', () => {
    const [m, ready] = [
      condition('Materialised', 'False', { reason: 'Forbidden' }),
      condition('Ready', 'False', { reason: 'Forbidden' }),
    ];
    const session = withConditions([m, running, ready]);
    expect(told(refuse(session, { ...forbidden, reason: 'Invalid' }))).toContain('Ready=False Invalid');
  });

  test('that was overcome gives Ready back to starting', () => {
    const [m, ready] = [
      condition('Materialised', 'False', { reason: 'Forbidden' }),
      condition('Ready', 'False', { reason: 'Forbidden' }),
    ];
    expect(tells(withConditions([m, running, ready]))).toEqual([M, ONE, 'Ready=False Starting']);
  });

  test('of one at zero keeps what is said of the workload', () => {
    expect(told(refuse(withConditions([materialised, atZero('Requested')])))).toEqual([
      'Materialised=False Forbidden',
      'Ready=False Forbidden',
      'Suspended=True Requested',
    ]);
  });

  test('that was told already is not told again', () => {
    const { conditions = [] } = refuse(makeSession()) ?? {};
    expect(refuse(withConditions(conditions))).toBeUndefined();
  });

  test('that may pass says that it is tried again, one that does not does not', () => {
    const words = (passes: boolean) => refuse(makeSession(), { ...forbidden, passes })?.conditions[0]?.message;
    expect(words(true)).toBe('no; it is tried again for a while, and then with `tiny touch`');
    expect(words(false)).toBe('no');
  });

  test('of somebody in system:masters explains why', () => {
    const session = makeSession({ spec: { requester: { username: 'root', groups: ['system:masters'] } } });
    expect(refuse(session)?.conditions[0]?.message).toMatch(
      /^no\. Rights that come from system:masters are never used/,
    );
    expect(refuse(session, { ...forbidden, reason: 'Invalid' })?.conditions[0]?.message).toBe('no');
  });
});
