import { describe, expect, it } from 'vitest';
import { PODS, QUESTIONS, SESSIONS } from '../../../lib/kube/types.ts';
import { ago, condition, makeHarness, question, session } from '../harness.ts';

const note = (seq: number) => `${JSON.stringify({ v: 1, seq, at: ago(0), type: 'note', text: `entry ${seq}` })}\n`;
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a-1', namespace: 'demo', labels: { 'tiny.dev/session': 'a' } },
  status: { containerStatuses: [{ name: 'agent', state: { running: {} }, restartCount: 0 }] },
} as never;

/** A person at a terminal, who types each line once what is to be seen before it is there. */
function person(script: [seen: string, line: string][], { suspend = false } = {}) {
  let time = 0;
  const harness = makeHarness(() => {
    time += 1000;
    return new Date(Date.parse('2026-11-30T12:00:00Z') + time);
  });
  const { fake, tiny } = harness;
  fake.put(SESSIONS, session('a', { spec: { suspend, requester: fake.me } }));
  fake.put(PODS, pod);
  fake.logAt = async function* (path, signal) {
    yield note(1);
    if (path.includes('follow') && !signal?.aborted)
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  };
  let said = '';
  let from = 0;
  let look = () => {};
  const stdin = (async function* () {
    for (const [seen, line] of script) {
      while (!said.includes(seen, from)) {
        await new Promise<void>((resolve) => {
          look = resolve;
        });
      }
      from = said.length;
      yield `${line}\n`;
    }
  })();
  const run = () =>
    tiny(['attach', 'a'], {
      terminal: true,
      io: { stdin: Object.assign(stdin, { isTTY: true }) },
      onOut: (all) => {
        said = all;
        look();
      },
    });
  return { fake, run };
}

describe('tiny attach', () => {
  it('wants a terminal, and says what to do without', async () => {
    const { tiny, fake } = makeHarness();
    fake.put(SESSIONS, session('a'));
    const { code, err } = await tiny(['attach', 'a']);
    expect(code).toBe(2);
    expect(err).toContain('`tiny logs a -f` reads along, `tiny send a TEXT` says something');
  });

  it('shows what was said, sends what is typed, and leaves the Session alone at the end', async () => {
    const { fake, run } = person([
      ['- entry 1', 'and the docs'],
      ['was sent message', '/detach'],
    ]);
    const { code, out, err } = await run();
    expect(code).toBe(0);
    expect(out.match(/- entry 1/g)).toHaveLength(1);
    expect(err).toContain('Left a. `tiny attach a` comes back to it.');
    expect(fake.read(SESSIONS, { namespace: 'demo', name: 'a' })?.spec.messages).toMatchObject([
      { text: 'and the docs' },
    ]);
  });

  it('wakes a Session that was suspended', async () => {
    const { fake, run } = person(
      [
        ['- entry 1', 'go on'],
        ['was sent message', '/detach'],
      ],
      { suspend: true },
    );
    await run();
    expect(fake.read(SESSIONS, { namespace: 'demo', name: 'a' })?.spec).toMatchObject({
      suspend: false,
      messages: [{ text: 'go on' }],
    });
  });

  it('answers the Question that stands there, by the word for it, and says what is none', async () => {
    const { fake, run } = person([
      ['Type one of: allow [Allow], allow-always [AllowAlways], deny [Deny].', 'perhaps'],
      ['has no option "perhaps"', 'y'],
      ['answered allow', '/detach'],
    ]);
    fake.put(QUESTIONS, question('a-q1', { session: 'a' }));
    const { out } = await run();
    expect(out).toContain('May I run the tests?');
    expect(fake.read(QUESTIONS, { namespace: 'demo', name: 'a-q1' })?.spec.answer).toMatchObject({ option: 'allow' });
  });

  it('takes no yes to a proposal whose changes do not stand there, but a no', async () => {
    const { fake, run } = person([
      ['Type one of', 'y'],
      ['has not been shown here', 'n'],
      ['answered deny', '/detach'],
    ]);
    const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'demo', name: 'app', fields: '{}' }];
    const options = [
      { id: 'allow', text: 'Apply it', effect: 'Allow' as const },
      { id: 'deny', text: 'No', effect: 'Deny' as const },
    ];
    const asked = question('a-q1', { session: 'a', kind: 'Apply', options, apply: { objects } });
    delete asked.spec.toolCall;
    fake.put(QUESTIONS, asked);
    const { out } = await run();
    expect(out).toContain('`tiny y a-q1@');
    expect(fake.read(QUESTIONS, { namespace: 'demo', name: 'a-q1' })?.spec.answer).toMatchObject({ option: 'deny' });
  });

  it('sends a message though a Question stands there, where that is said', async () => {
    const { fake, run } = person([
      ['Type one of', '/say wait'],
      ['was sent message', '/detach'],
    ]);
    fake.put(QUESTIONS, question('a-q1', { session: 'a' }));
    await run();
    expect(fake.read(QUESTIONS, { namespace: 'demo', name: 'a-q1' })?.spec.answer).toBeUndefined();
    expect(fake.read(SESSIONS, { namespace: 'demo', name: 'a' })?.spec.messages).toMatchObject([{ text: 'wait' }]);
  });

  it('tells that another has answered', async () => {
    const { fake, run } = person([
      ['Type one of', '/help'],
      ['bob answered deny', '/detach'],
    ]);
    const put = fake.put(QUESTIONS, question('a-q1', { session: 'a' })) as unknown as ReturnType<typeof question>;
    setTimeout(
      () =>
        fake.put(QUESTIONS, {
          ...put,
          spec: { ...put.spec, answer: { option: 'deny', by: { username: 'bob' } } },
        } as never),
      50,
    );
    expect((await run()).code).toBe(0);
  });

  it('is left by the end of the input', async () => {
    const { run } = person([['- entry 1', '']]);
    expect((await run()).code).toBe(0);
  });

  it('says that nothing can be sent to what has had its messages', async () => {
    const { fake, run } = person([
      ['- entry 1', 'more'],
      ['no more fit', '/detach'],
    ]);
    const messages = Array.from({ length: 64 }, (_, index) => ({ id: `m-${index}`, text: 'x' }));
    fake.put(
      SESSIONS,
      session('a', {
        spec: { messages, requester: fake.me },
        status: { conditions: [condition(['Suspended', 'False', 'Running'])] },
      }),
    );
    expect((await run()).out).toContain('Start another Session');
  });
});
