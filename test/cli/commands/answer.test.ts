import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../lib/api/meta.ts';
import { ApiError, ConnectionError } from '../../../lib/kube/errors.ts';
import { QUESTIONS, SESSIONS } from '../../../lib/kube/types.ts';
import { ago, condition, makeHarness, NOW, question, session } from '../harness.ts';

const ref = (name = 'q') => ({ namespace: 'demo', name });

function asked(more = {}) {
  const harness = makeHarness();
  harness.fake.put(QUESTIONS, question('q', more));
  return { ...harness, answer: () => harness.fake.read(QUESTIONS, ref())?.spec.answer };
}

describe('tiny answer', () => {
  it('sets the option, when, and who', async () => {
    const { tiny, answer } = asked();
    expect(await tiny(['answer', 'q', 'allow'])).toEqual({
      code: 0,
      out: 'question.tiny.dev/q answered allow\n',
      err: '',
    });
    expect(answer()).toEqual({
      option: 'allow',
      at: `${NOW.toISOString().slice(0, 19)}Z`,
      by: { username: 'alice', groups: ['system:authenticated'] },
    });
  });

  it('answers an Ask in words', async () => {
    const { tiny, fake } = makeHarness();
    const { options: _, toolCall: __, ...ask } = question('q').spec;
    fake.put(QUESTIONS, { ...question('q'), spec: { ...ask, kind: 'Ask' } } as never);
    expect((await tiny(['answer', 'q', 'the second one'])).code).toBe(0);
    expect(fake.read(QUESTIONS, ref())?.spec.answer?.text).toBe('the second one');
  });

  it.each([
    [
      'an option that is none',
      ['answer', 'q', 'alow'],
      /no option "alow"[\s\S]*Did you mean allow\?[\s\S]*allow \(Allow: Yes\)/,
    ],
    ['words for a Permit', ['answer', 'q', 'sure', '--text'], /not answered in words/],
    ['nothing', ['answer', 'q'], /the answer is missing/],
  ])('refuses %s with exit 2', async (_, argv, message) => {
    const { tiny, answer } = asked();
    const { code, err } = await tiny(argv);
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(answer()).toBeUndefined();
  });

  it('says who answered before', async () => {
    const { tiny, fake } = asked({ answer: { option: 'deny', at: ago(20), by: { username: 'bob' } } });
    const { code, err } = await tiny(['answer', 'q', 'allow']);
    expect(code).toBe(1);
    expect(err).toContain('Question "q" was answered by bob 20s ago: deny');
    expect(fake.requests.some((request) => request.startsWith('PATCH'))).toBe(false);
  });

  it('says that it is too late', async () => {
    const { tiny } = asked({ expiresAt: ago(1) });
    const { code, err } = await tiny(['answer', 'q', 'allow']);
    expect(code).toBe(1);
    expect(err).toContain(`Question "q" expired at ${ago(1)}`);
  });

  it('says that nobody waits for the answer any more, and lists it no longer', async () => {
    const { tiny, fake } = asked();
    const conditions = ['Answered', 'Acted'].map((type) =>
      condition([type, 'False', 'Withdrawn'], 'withdrawn: Session "refactor", which asked, has finished'),
    );
    fake.put(QUESTIONS, { ...question('q'), status: { conditions } } as KubeObject);
    const { code, err } = await tiny(['answer', 'q', 'allow']);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('"q" was withdrawn: Session "refactor", which asked, has'),
    ]);
    expect((await tiny(['questions'])).err).toContain('No open questions');
    expect((await tiny(['questions', '--all'])).out).toContain('Withdrawn');
    expect((await tiny(['y'])).err).toContain('no Question is open');
  });

  describe('where the Session that asked has ended, and no condition says so yet', () => {
    const owned = (uid: string) => {
      const owner = { apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', name: 'refactor', uid };
      return { ...question('q'), metadata: { ...question('q').metadata, ownerReferences: [owner] } } as KubeObject;
    };

    it.each([
      [
        'finished',
        [condition(['Finished', 'True', 'Completed'])],
        undefined,
        /"q": Session "refactor", which asked, has/,
      ],
      ['gone, with another of its name', [], 'earlier', /"q": Session "refactor", which asked, is gone/],
    ])('%s: nothing is answered', async (_what, conditions, uid, message) => {
      const { tiny, fake } = makeHarness();
      const live = fake.put(SESSIONS, session('refactor', { status: { conditions } }));
      fake.put(QUESTIONS, owned(uid ?? live.metadata.uid));
      for (const argv of [['answer', 'q', 'allow'], ['n']]) {
        const { code, err } = await tiny(argv);
        expect(code).toBe(1);
        expect(err).toMatch(message);
      }
      expect(fake.read(QUESTIONS, ref())?.spec.answer).toBeUndefined();
    });

    it('counts for nothing with who may answer and not see Sessions', async () => {
      const { tiny, fake, answer } = asked();
      fake.fault = (request) => {
        if (request.startsWith('GET sessions ')) throw new ApiError(403, { reason: 'Forbidden', message: 'no' });
      };
      expect((await tiny(['answer', 'q', 'allow'])).code).toBe(0);
      expect(answer()?.option).toBe('allow');
    });
  });

  it('of two people in the same moment, the slower is told who won', async () => {
    const { tiny, fake, answer } = asked();
    fake.fault = (request) => {
      if (request !== 'PATCH questions q') return;
      fake.fault = () => {};
      fake.put(QUESTIONS, question('q', { answer: { option: 'deny', at: ago(0), by: { username: 'bob' } } }));
    };
    const { code, err } = await tiny(['answer', 'q', 'allow']);
    expect(code).toBe(1);
    expect(err).toContain('was answered by bob 0s ago: deny');
    expect(answer()?.option).toBe('deny');
  });

  it('is told the same where the server refuses by its rule instead of by the version', async () => {
    const { tiny, fake } = asked();
    fake.fault = (request) => {
      if (request !== 'PATCH questions q') return;
      fake.put(QUESTIONS, question('q', { answer: { option: 'deny', at: ago(0), by: { username: 'bob' } } }));
      throw new ApiError(422, { reason: 'Invalid', message: 'has been answered already' });
    };
    expect((await tiny(['answer', 'q', 'allow'])).err).toContain('was answered by bob');
  });

  it('tries again where only the status changed', async () => {
    const { tiny, fake, answer } = asked();
    fake.fault = (request) => {
      if (request !== 'PATCH questions q') return;
      fake.fault = () => {};
      fake.put(QUESTIONS, { ...question('q'), status: { conditions: [] } } as never);
    };
    expect((await tiny(['answer', 'q', 'allow'])).code).toBe(0);
    expect(answer()?.option).toBe('allow');
  });

  it('says who asked for the Session where the project wants it', async () => {
    const { tiny, fake } = asked();
    let refused = false;
    fake.fault = (request) => {
      if (refused || !request.startsWith('PATCH')) return;
      refused = true;
      throw new ApiError(403, {
        reason: 'Forbidden',
        message: 'denied request: say label tiny.dev/answered-by-another',
      });
    };
    expect((await tiny(['answer', 'q', 'allow'])).code).toBe(0);
    const { labels, annotations } = fake.read(QUESTIONS, ref())?.metadata ?? {};
    expect(labels).toMatchObject({ 'tiny.dev/answered-by-another': '' });
    expect(annotations).toHaveProperty(['tiny.dev/requester']);
  });

  it('knows its own answer again where the first yes of the server was lost', async () => {
    const { tiny, fake } = asked();
    fake.fault = (request) => {
      if (request !== 'PATCH questions q') return;
      fake.fault = () => {};
      const answer = { option: 'allow', at: '2026-11-30T12:00:00Z', by: { username: 'alice' } };
      fake.put(QUESTIONS, question('q', { answer }));
    };
    expect((await tiny(['answer', 'q', 'allow'])).code).toBe(0);
  });

  it('gives up on a policy that refuses, in its words', async () => {
    const { tiny, fake, answer } = asked();
    fake.fault = (request) => {
      if (request.startsWith('PATCH')) {
        throw new ApiError(403, { reason: 'Forbidden', message: 'denied request: carol is no answerer' });
      }
    };
    const { code, err } = await tiny(['answer', 'q', 'allow']);
    expect(code).toBe(1);
    expect(err).toContain('carol is no answerer');
    expect(answer()).toBeUndefined();
  });
});

describe('tiny y and n', () => {
  it('take the plain yes and no, not the one for ever', async () => {
    const yes = asked();
    await yes.tiny(['y', '--yes']);
    expect(yes.answer()?.option).toBe('allow');
    const no = asked();
    await no.tiny(['n', 'q']);
    expect(no.answer()?.option).toBe('deny');
  });

  it('of several open ones take none, and list them with exit 2', async () => {
    const { tiny, fake, answer } = asked();
    fake.put(QUESTIONS, question('q2', { text: 'Another?' }));
    const { code, err } = await tiny(['y']);
    expect(code).toBe(2);
    expect(err).toContain('2 Questions are open');
    expect(err).toMatch(/tiny y q2@uid-\d+ {3}refactor asks \(execute: npm test\): Another\?/);
    expect(answer()).toBeUndefined();
  });

  it('say that none is open', async () => {
    expect(await makeHarness().tiny(['n'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no Question is open'),
    });
  });

  it('refuse a Question that has no plain yes', async () => {
    const { tiny } = asked({ kind: 'Ask', options: [{ id: 'red', text: 'Red' }] });
    const { code, err } = await tiny(['y']);
    expect(code).toBe(2);
    expect(err).toMatch(/tiny answer q@uid-\d+ OPTION/);
  });
});

describe('an act that is said yes to on a terminal', () => {
  const at = (answered: string) => ({ terminal: true, stdin: answered });

  it.each([[['y']], [['y', 'q']], [['answer', 'q', 'allow']]])(
    'is shown whole, and done after a yes: %j',
    async (argv) => {
      const { tiny, answer } = asked({ text: 'May I?\nPlease.' });
      const { code, out, err } = await tiny(argv, at('y\n'));
      expect(code).toBe(0);
      expect(out).toBe('question.tiny.dev/q answered allow\n');
      expect(err).toMatch(
        /> May I\?\n {2}> Please\.[\s\S]*> \{"command":"npm test"\}\n {2}On yes[^\n]*\nDo this as alice\? \[y\/N\] $/,
      );
      expect(answer()?.option).toBe('allow');
    },
  );

  it.each(['\n', 'n\n', '', 'yess\n'])('is not done after %j', async (said) => {
    const { tiny, answer } = asked();
    expect(await tiny(['y'], at(said))).toMatchObject({ code: 1, err: expect.stringContaining('nothing was done') });
    expect(answer()).toBeUndefined();
  });

  it('says that always is for always', async () => {
    expect((await asked().tiny(['answer', 'q', 'allow-always'], at('n\n'))).err).toContain(
      'whenever exactly this is asked for in its Session',
    );
  });

  it('is not asked for with --yes, and a no never is', async () => {
    for (const argv of [['y', '--yes'], ['answer', 'q', 'allow', '-y'], ['n'], ['answer', 'q', 'deny']]) {
      const { tiny } = asked();
      const { code, err } = await tiny(argv, at(''));
      expect(code).toBe(0);
      expect(err).not.toContain('[y/N]');
    }
  });
});

describe('where nobody can be asked', () => {
  it('a yes to an act names its Question, or says --yes', async () => {
    const { tiny, answer } = asked();
    const { code, err } = await tiny(['y']);
    expect(code).toBe(2);
    expect(err).toMatch(/`tiny y q@uid-\d+` says yes to it/);
    expect(answer()).toBeUndefined();
    expect(await tiny(['y', 'q'])).toMatchObject({ code: 0, out: 'question.tiny.dev/q answered allow\n' });
    expect((await asked().tiny(['y', '--yes'])).code).toBe(0);
  });

  it('a yes that does nothing but tell needs no name', async () => {
    const { toolCall: _, ...ask } = question('q').spec;
    const { tiny, fake } = makeHarness();
    fake.put(QUESTIONS, {
      ...question('q'),
      spec: { ...ask, kind: 'Ask', options: [{ id: 'yes', text: 'Yes' }] },
    } as never);
    expect(await tiny(['y'])).toMatchObject({ code: 0, out: 'question.tiny.dev/q answered yes\n' });
  });
});

describe('a Question that was made anew under the name of the one that was read', () => {
  const uid = ({ fake }: ReturnType<typeof asked>) => fake.read(QUESTIONS, ref())?.metadata.uid;
  const swap = ({ fake }: ReturnType<typeof asked>) => {
    fake.remove(QUESTIONS, ref());
    fake.put(QUESTIONS, question('q', { text: 'May I wipe the disk?' }));
  };

  it('is not answered by the command that was printed for the other', async () => {
    const harness = asked();
    const printed = /tiny (answer q@\S+ allow)/.exec((await harness.tiny(['show', 'question/q'])).out)?.[1];
    expect(printed).toBe(`answer q@${uid(harness)?.slice(0, 8)} allow`);
    swap(harness);
    for (const argv of [`${printed}`.split(' '), ['y', `${printed}`.split(' ')[1] ?? '']]) {
      const { code, err } = await harness.tiny(argv);
      expect(code).toBe(1);
      expect(err).toContain('Question "q" is not the one that you mean');
    }
    expect(harness.answer()).toBeUndefined();
  });

  it('is not answered where it comes between reading and answering', async () => {
    const harness = asked();
    harness.fake.fault = (request) => {
      if (!request.startsWith('PATCH')) return;
      harness.fake.fault = () => {};
      swap(harness);
    };
    expect((await harness.tiny(['answer', 'q', 'allow'])).err).toContain('is not the one that you mean');
    expect(harness.answer()).toBeUndefined();
  });

  it('and one that is still the same is, by the whole uid too', async () => {
    for (const given of [`question/q@${uid(asked())}`, 'q@uid']) {
      const harness = asked();
      expect((await harness.tiny(['answer', given, 'allow'])).code).toBe(0);
    }
    expect((await asked().tiny(['answer', 'q@', 'allow'])).code).toBe(1);
  });
});

describe('a yes that is called no', () => {
  const trap = [
    { id: 'no', text: 'No', effect: 'Allow' as const },
    { id: 'yes', text: 'Yes', effect: 'Deny' as const },
  ];

  it.each([['n'], ['n', 'q'], ['y', 'q'], ['answer', 'q', 'no'], ['answer', 'q', 'yes'], ['answer', 'q', 'deny']])(
    'is chosen by nothing that is said: %j',
    async (...argv) => {
      const { tiny, answer } = asked({ options: trap });
      const { code, err } = await tiny(argv);
      expect(code).toBe(2);
      expect(err).toMatch(/its name says the opposite of what it does/);
      expect(answer()).toBeUndefined();
    },
  );

  it('is not chosen for want of another', async () => {
    const { tiny, answer } = asked({ options: [{ id: 'go', text: 'No', effect: 'Allow' }] });
    expect((await tiny(['n', 'q'])).err).toContain('has no plain no');
    expect((await tiny(['answer', 'q', 'no'])).err).toContain('has no option "no"');
    expect(answer()).toBeUndefined();
  });

  it('and words go by the effect, whatever the options are called', async () => {
    const options = [
      { id: 'go', text: 'Go', effect: 'Allow' as const },
      { id: 'stop', text: 'Stop', effect: 'Deny' as const },
    ];
    for (const [word, option] of [
      ['allow', 'go'],
      ['y', 'go'],
      ['deny', 'stop'],
      ['no', 'stop'],
    ] as const) {
      const { tiny, answer } = asked({ options });
      await tiny(['answer', 'q', word]);
      expect(answer()?.option).toBe(option);
    }
  });
});

describe('without Knative', () => {
  it('the yes is acted on at once, as the answerer', async () => {
    const { tiny, fake } = makeHarness();
    fake.knative = false;
    fake.me = { username: 'bob' };
    fake.put(SESSIONS, session('refactor'));
    const { toolCall: _, ...rest } = question('q').spec;
    const spawn = { name: 'child', spec: session('child').spec };
    fake.put(QUESTIONS, { ...question('q'), spec: { ...rest, kind: 'Spawn', spawn } } as never);
    const { code, err } = await tiny(['y', 'q']);
    expect(code).toBe(0);
    expect(fake.read(SESSIONS, ref('child'))?.spec).toMatchObject({
      parent: 'refactor',
      requester: { username: 'bob' },
    });
    expect(fake.requests).toContain('CREATE deployments child');
    expect(err).toContain('Session refactor acts for alice');
  });
});

it('a lost connection is a failure with a way out', async () => {
  const { tiny, fake } = asked();
  fake.fault = () => {
    throw new ConnectionError('connect ECONNREFUSED 127.0.0.1:1');
  };
  expect(await tiny(['y', 'q'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('`tiny up` starts a local one'),
  });
});
