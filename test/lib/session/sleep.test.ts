/** Answers and messages that come while a Session is put to sleep: at each moment, and with functions killed between their lines. */
import { describe, expect, test } from 'vitest';
import { findCondition } from '../../../lib/api/conditions.ts';
import type { Condition } from '../../../lib/api/meta.ts';
import type { Question } from '../../../lib/api/question.ts';
import type { Session } from '../../../lib/api/session.ts';
import { DEPLOYMENTS, QUESTIONS, SESSIONS } from '../../../lib/kube/types.ts';
import { questions } from '../../../lib/question/plan.ts';
import { reconcile } from '../../../lib/reconcile.ts';
import { sessions } from '../../../lib/session/plan.ts';
import { fc } from '../../support/fast-check.ts';
import { type Hooks, MemoryServer } from '../../support/memory-client.ts';
import { at, BOB, condition, makeQuestion, makeSession, NOW } from '../../support/objects.ts';

const REF = { namespace: 'team-a', name: 'fix' };
const ASKED = ['fix-1', 'fix-2'];
const now = () => NOW;

/** A Session whose agent waits for two answers, or for a message, longer than it may; nobody has looked at it since. */
function world(waitsFor: 'Question' | 'Message') {
  const hooks: Hooks = {};
  const server = new MemoryServer(hooks);
  const idle = { suspendAfter: '30s', finishAfter: '1h' };
  server.put(SESSIONS, makeSession({ spec: { idle } }) as Session);
  for (const name of ASKED) {
    const spec = { kind: 'Ask', options: undefined, spawn: undefined };
    server.put(QUESTIONS, makeQuestion({ metadata: { name }, spec }) as Question);
  }
  const agent = server.client('tiny-agent');
  const said = new Map<string, Condition>();
  const say = (conditions: Condition[], more: object = {}) => {
    for (const one of conditions) said.set(one.type, one);
    const status = { conditions: [...said.values()], ...more };
    return agent.applyStatus(SESSIONS, { apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', metadata: REF, status });
  };
  const peek = () => server.peek(SESSIONS, REF) as Session;
  return {
    server,
    hooks,
    session: () => reconcile(sessions, REF, { client: server.client('tiny-session'), now }),
    question: (name: string) => reconcile(questions, { ...REF, name }, { client: server.client('tiny-question'), now }),
    waits: () =>
      say(
        [condition('Ready', 'True'), condition('Waiting', 'True', { reason: waitsFor, lastTransitionTime: at(-60) })],
        {
          waitingFor: waitsFor === 'Question' ? ASKED : [],
        },
      ),
    answer: (name: string) =>
      server.change(QUESTIONS, { ...REF, name }, ({ spec }) => Object.assign(spec, { answer: { text: 'x', by: BOB } })),
    message: () =>
      server.change(SESSIONS, REF, ({ spec }) => {
        spec.messages = [{ id: 'm', text: 'more' }];
      }),
    suspended: () => findCondition(peek(), 'Suspended')?.reason,
    replicas: () => (server.peek(DEPLOYMENTS, REF) as { spec?: { replicas?: number } } | undefined)?.spec?.replicas,
  };
}
type World = ReturnType<typeof world>;

async function asleep(waitsFor: 'Question' | 'Message'): Promise<World> {
  const given = world(waitsFor);
  await given.session();
  await given.waits();
  return given;
}

test('a Session that waits longer than it may goes to zero, and rests there', async () => {
  const { session, suspended, replicas, server } = await asleep('Question');
  await session();
  expect([suspended(), replicas()]).toEqual(['Idle', 0]);
  const before = server.asked.length;
  await session();
  expect(server.verbs().slice(before)).toEqual(['get Session', 'get Question', 'get Question']);
});

test.each(['Question', 'Message'] as const)('waiting for a %s is told with when it began', async (waitsFor) => {
  const { session, server } = await asleep(waitsFor);
  await session();
  const live = server.peek(SESSIONS, REF) as Session;
  expect(findCondition(live, 'Waiting')).toMatchObject({ reason: waitsFor, lastTransitionTime: at(-60) });
  expect(findCondition(live, 'Suspended')).toMatchObject({ status: 'True', lastTransitionTime: at(0) });
});

describe('an answer', () => {
  test('wakes the Session that sleeps', async () => {
    const { session, question, answer, suspended, replicas } = await asleep('Question');
    await session();
    answer('fix-2');
    await question('fix-2');
    await session();
    expect([suspended(), replicas()]).toEqual(['Running', 1]);
  });

  test('whose event is lost wakes it with the next event of the Session', async () => {
    const { session, answer, suspended, replicas } = await asleep('Question');
    await session();
    answer('fix-1');
    await session();
    expect([suspended(), replicas()]).toEqual(['Running', 1]);
  });

  test('keeps the Session awake that has not seen it yet', async () => {
    const { session, question, answer, suspended, server } = await asleep('Question');
    answer('fix-1');
    await question('fix-1');
    const before = server.asked.length;
    await session();
    expect(suspended()).toBe('Running');
    expect(server.verbs().slice(before)).toEqual(['get Session', 'get Question', 'get Question']);
  });

  test('to a Question that was deleted does not come, and the agent is woken to hear that', async () => {
    const { session, server, replicas } = await asleep('Question');
    await session();
    server.drop(QUESTIONS, { ...REF, name: 'fix-1' });
    await session();
    expect(replicas()).toBe(1);
  });
});

/** What happens at one moment of the going-down, in the middle of another's work. */
type Event = (given: World) => unknown;
const answered: Event = async ({ answer, question }) => {
  answer('fix-1');
  await question('fix-1');
};
/** The agent that is still up sees the answer by itself. */
const EVENTS: [name: string, waitsFor: 'Question' | 'Message', event: Event][] = [
  ['an answer', 'Question', answered],
  ['a message to a Session that waits for an answer', 'Question', ({ message }) => message()],
  ['a message to a Session that has nothing to do', 'Message', ({ message }) => message()],
];

const REQUESTS = Array.from({ length: 14 }, (_, n) => n);
const MOMENTS = [false, true].flatMap((isEdited) => REQUESTS.map((n) => ({ n, isEdited })));

describe.each(EVENTS)('%s', (_name, waitsFor, event) => {
  test.each(MOMENTS)(
    'before request $n of the going-down leaves the Session at one; its spec was changed: $isEdited',
    async ({ n, isEdited }) => {
      const given = await asleep(waitsFor);
      if (isEdited) given.server.change(SESSIONS, REF, ({ spec }) => Object.assign(spec, { ttlAfterFinished: '1h' }));
      let left = n;
      given.hooks.before = async () => {
        left -= 1;
        if (left !== -1) return;
        delete given.hooks.before;
        await event(given);
      };
      await given.session();
      delete given.hooks.before;
      if (left >= 0) {
        await event(given);
        await given.session();
      }
      expect([given.suspended(), given.replicas()]).toEqual(['Running', 1]);
    },
  );
});

const STEPS: [name: string, step: Event][] = [
  ['an event of the Session', ({ session }) => session()],
  ['two of them at once', ({ session }) => Promise.all([session(), session()])],
  ['an event of Question 1', ({ question }) => question('fix-1')],
  ['an event of Question 2', ({ question }) => question('fix-2')],
  ['all at once', ({ session, question }) => Promise.all([session(), question('fix-1'), question('fix-2'), session()])],
  ['a touch', ({ server }) => server.change(SESSIONS, REF, ({ spec }) => Object.assign(spec, { touched: at(-300) }))],
  ['the agent says again that it waits', ({ waits }) => waits()],
  ...[1, 2].flatMap((k) =>
    (['before', 'after'] as const).map((moment): (typeof STEPS)[number] => [
      `functions killed ${moment} their write ${k}`,
      async ({ hooks, session, question }) => {
        let writes = 0;
        hooks[moment] = ({ verb }) => {
          if (verb === 'get') return;
          writes += 1;
          if (writes >= k) throw new Error('killed');
        };
        await Promise.all([session(), question('fix-1')]);
        delete hooks[moment];
      },
    ]),
  ),
];

/** Named, for the report of a story that goes wrong. */
const step = fc.constantFrom(...STEPS.map(([name, happen]) => ({ name, happen })));

test('whatever comes in between, an answered Session is awake and one that nobody answered sleeps', async () => {
  const story = fc.record({ before: fc.array(step, { maxLength: 3 }), after: fc.array(step, { maxLength: 4 }) });
  await fc.assert(
    fc.asyncProperty(story, fc.boolean(), async ({ before, after }, isAnswered) => {
      const given = await asleep('Question');
      for (const { happen } of before) await happen(given);
      if (isAnswered) given.answer('fix-1');
      for (const { happen } of after) await happen(given);
      // The trigger delivers again what a killed function did not answer.
      for (let i = 0; i < 2; i++) {
        await given.question('fix-1');
        await given.session();
      }
      expect([given.suspended(), given.replicas()]).toEqual(isAnswered ? ['Running', 1] : ['Idle', 0]);
    }),
    { numRuns: 80 },
  );
});
