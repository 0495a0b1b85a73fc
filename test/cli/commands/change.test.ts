import { describe, expect, it } from 'vitest';
import { QUESTIONS, SESSIONS } from '../../../lib/kube/types.ts';
import { condition, makeHarness, NOW, question, session } from '../harness.ts';

const ref = (name = 'a') => ({ namespace: 'demo', name });

function withSession(more = {}) {
  const harness = makeHarness();
  harness.fake.put(
    SESSIONS,
    session('a', { spec: { requester: { username: 'alice', extra: { x: ['1'] } }, ...more } }),
  );
  return { ...harness, spec: () => harness.fake.read(SESSIONS, ref())?.spec };
}

describe('changes of a Session', () => {
  it('suspend and resume, each stamped whole with who did it', async () => {
    const { tiny, spec } = withSession();
    expect(await tiny(['suspend', 'a'])).toEqual({ code: 0, out: 'session.tiny.dev/a suspended\n', err: '' });
    expect(spec()).toMatchObject({ suspend: true, touched: `${NOW.toISOString().slice(0, 19)}Z` });
    expect(spec()?.requester).toEqual({ username: 'alice', groups: ['system:authenticated'] });
    expect((await tiny(['suspend', 'a'])).err).toContain('suspended already');
    expect((await tiny(['resume', 'session/a'])).code).toBe(0);
    expect(spec()?.suspend).toBe(false);
  });

  it('resume of what has finished says how it goes on', async () => {
    const { tiny, fake } = makeHarness();
    fake.put(SESSIONS, session('a', { status: { conditions: [condition(['Finished', 'True', 'Completed'])] } }));
    expect((await tiny(['resume', 'a'])).err).toContain('`tiny send a TEXT` lets it go on');
  });

  it('touch says when', async () => {
    const { tiny, spec } = withSession();
    expect((await tiny(['touch', 'a'])).code).toBe(0);
    expect(spec()?.touched).toBe(`${NOW.toISOString().slice(0, 19)}Z`);
  });

  it('of several names, one that is missing keeps none of the others from it', async () => {
    const { tiny, fake, spec } = withSession();
    fake.put(SESSIONS, session('c'));
    const { code, err } = await tiny(['suspend', 'a', 'b', 'c']);
    expect(code).toBe(1);
    expect(err).toContain('Session "b" was not found');
    expect(spec()?.suspend).toBe(true);
    expect(fake.read(SESSIONS, ref('c'))?.spec.suspend).toBe(true);
  });

  it('meets a status that changed in between by beginning anew', async () => {
    const { tiny, fake, spec } = withSession();
    fake.fault = (request) => {
      if (!request.startsWith('PATCH')) return;
      fake.fault = () => {};
      fake.put(SESSIONS, { ...session('a'), status: { message: 'working' } } as never);
    };
    expect((await tiny(['suspend', 'a'])).code).toBe(0);
    expect(spec()?.suspend).toBe(true);
  });
});

describe('tiny touch of a Question', () => {
  it('writes as a manager of its own, for the answer belongs to the other', async () => {
    const { tiny, fake } = makeHarness();
    fake.put(QUESTIONS, question('q', { answer: { option: 'deny', by: { username: 'alice' } } }));
    expect(await tiny(['touch', 'question/q'])).toEqual({ code: 0, out: 'question.tiny.dev/q touched\n', err: '' });
    expect(fake.paths).toContainEqual(expect.stringMatching(/^PATCH .*\/questions\/q\?fieldManager=tiny-touch$/));
  });
});

describe('without Knative', () => {
  it("nothing is done with one's own rights for another", async () => {
    const { tiny, fake } = makeHarness();
    fake.knative = false;
    const { toolCall: _, ...rest } = question('q').spec;
    const spawn = { name: 'child', spec: session('child').spec };
    const spec = { ...rest, kind: 'Spawn', spawn };
    fake.put(QUESTIONS, { ...question('q'), spec } as never);
    fake.fault = (request) => {
      if (request !== 'PATCH questions q') return;
      fake.fault = () => {};
      const answer = { option: 'allow', at: '2026-11-30T12:00:00Z' };
      fake.put(QUESTIONS, {
        ...question('q'),
        spec: { ...spec, answer: { ...answer, by: { username: 'bob' } } },
      } as never);
      fake.me = { username: 'bob' };
    };
    fake.me = { username: '' };
    const { code, err } = await tiny(['answer', 'q', 'allow']);
    expect(code).toBe(1);
    expect(err).toContain('bob');
    expect(fake.read(SESSIONS, ref('child'))).toBeUndefined();
  });
});

describe('tiny send', () => {
  it('appends, and loses no message that somebody else sends in the same moment', async () => {
    const { tiny, fake, spec } = withSession();
    fake.fault = (request) => {
      if (!request.startsWith('PATCH')) return;
      fake.fault = () => {};
      fake.put(SESSIONS, session('a', { spec: { messages: [{ id: 'theirs', text: 'first' }] } }));
    };
    expect((await tiny(['send', 'a', 'second', '--id', 'mine'])).out).toBe(
      'session.tiny.dev/a was sent message mine\n',
    );
    expect(spec()?.messages?.map(({ id }) => id)).toEqual(['theirs', 'mine']);
  });

  it('says so where nobody gets the message: the Session is suspended on request, or past its deadline', async () => {
    const suspended = await withSession({ suspend: true }).tiny(['send', 'a', 'hello']);
    expect(suspended).toMatchObject({ code: 0, err: expect.stringContaining('once `tiny resume a` starts it again') });
    const { tiny, fake } = makeHarness();
    const over = { conditions: [condition(['Finished', 'True', 'Deadline'])] };
    fake.put(SESSIONS, session('a', { status: over }));
    expect((await tiny(['send', 'a', 'hello'])).err).toContain('its deadline has passed');
    fake.put(SESSIONS, session('b', { status: { conditions: [condition(['Suspended', 'True', 'Idle'])] } }));
    expect((await tiny(['send', 'b', 'hello'])).err).toBe('');
  });

  it('with the same id and text says it once', async () => {
    const { tiny, spec } = withSession();
    await tiny(['send', 'a', 'hello', '--id', 'ci-1']);
    const again = await tiny(['send', 'a', 'hello', '--id', 'ci-1']);
    expect(again).toMatchObject({ code: 0, out: '', err: 'Message ci-1 was sent to Session a before.\n' });
    expect(spec()?.messages).toHaveLength(1);
    expect((await tiny(['send', 'a', 'other', '--id', 'ci-1'])).code).toBe(2);
  });

  it.each([
    ['too long a text', ['send', 'a', 'x'.repeat(16_385)], /at most 16384 characters/],
    ['an id that is none', ['send', 'a', 'x', '--id', 'A B'], /--id "A B" must be/],
  ])('refuses %s with exit 2', async (_, argv, message) => {
    const { tiny } = withSession();
    const { code, err } = await tiny(argv);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  it('refuses a message past the limit of the resource', async () => {
    const messages = Array.from({ length: 64 }, (_, index) => ({ id: `m${index}`, text: 'x' }));
    expect((await withSession({ messages }).tiny(['send', 'a', 'one more'])).err).toContain('64 messages');
  });
});

describe('tiny rm', () => {
  it('deletes what was read, not what was made meanwhile under its name', async () => {
    const { tiny, fake } = withSession();
    fake.fault = (request) => {
      if (!request.startsWith('DELETE')) return;
      fake.remove(SESSIONS, ref());
      fake.put(SESSIONS, session('a'));
    };
    expect((await tiny(['rm', 'a'])).code).toBe(1);
    expect(fake.read(SESSIONS, ref())).toBeDefined();
  });

  it('deletes one, or all of the namespace', async () => {
    const { tiny, fake } = withSession();
    fake.put(SESSIONS, session('b'));
    fake.put(SESSIONS, { ...session('z'), metadata: { name: 'z', namespace: 'other' } });
    expect((await tiny(['rm', 'a', '--wait'])).out).toBe('session.tiny.dev/a deleted\n');
    expect((await tiny(['rm', '--all'])).out).toBe('session.tiny.dev/b deleted\n');
    expect(fake.read(SESSIONS, { namespace: 'other', name: 'z' })).toBeDefined();
  });

  it.each([[['rm']], [['rm', 'a', '--all']], [['rm', '--all', '-A']]])('refuses %j with exit 2', async (argv) => {
    const { tiny, fake } = withSession();
    expect((await tiny(argv)).code).toBe(2);
    expect(fake.read(SESSIONS, ref())).toBeDefined();
  });
});
