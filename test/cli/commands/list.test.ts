import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../lib/kube/errors.ts';
import { QUESTIONS, SESSIONS } from '../../../lib/kube/types.ts';
import { ago, condition, makeHarness, question, session } from '../harness.ts';

function filled() {
  const harness = makeHarness();
  const { fake } = harness;
  fake.put(
    SESSIONS,
    session('refactor', {
      status: { conditions: [condition(['Ready', 'True', 'Working'])], message: 'reading\nfiles' },
    }),
  );
  fake.put(
    SESSIONS,
    session('done', { seconds: 7200, status: { conditions: [condition(['Finished', 'True', 'Completed'])] } }),
  );
  fake.put(SESSIONS, { ...session('else'), metadata: { name: 'else', namespace: 'other' } });
  return harness;
}

describe('tiny ls', () => {
  it('prints a table as kubectl does', async () => {
    const { tiny } = filled();
    expect(await tiny(['ls'])).toEqual({
      code: 0,
      err: '',
      out: [
        'NAME       STATE      AGENT         REQUESTER   AGE    MESSAGE',
        'done       Finished   claude-code   alice       120m   <none>',
        'refactor   Working    claude-code   alice       60s    reading files',
        '',
      ].join('\n'),
    });
  });

  it.each(['list', 'get'])('is also called %s', async (alias) => {
    const { tiny } = filled();
    expect((await tiny([alias])).out).toContain('refactor');
  });

  it('says on stderr that there are none', async () => {
    expect(await makeHarness().tiny(['ls'])).toEqual({
      code: 0,
      out: '',
      err: 'No sessions found in demo namespace.\n',
    });
    expect((await makeHarness().tiny(['ls', '-A'])).err).toBe('No sessions found.\n');
  });

  it('shows namespaces with -A, names with -o name, objects with -o json', async () => {
    const { tiny } = filled();
    expect((await tiny(['ls', '-A'])).out).toMatch(/^NAMESPACE +NAME[\s\S]*\nother +else/m);
    expect((await tiny(['ls', '-n', 'other', '-o', 'name'])).out).toBe('session.tiny.dev/else\n');
    const list = JSON.parse((await tiny(['-o', 'json', 'ls'])).out);
    expect(list).toMatchObject({ kind: 'List', apiVersion: 'v1' });
    expect(list.items).toHaveLength(2);
  });

  it('colours on a terminal alone', async () => {
    const { tiny } = filled();
    expect((await tiny(['ls'], { terminal: true })).out).toContain('\u001b[32mWorking\u001b[0m');
    expect((await tiny(['ls'], { terminal: true, env: { NO_COLOR: '1' } })).out).not.toContain('\u001b');
    expect((await tiny(['ls', '--no-color'], { terminal: true })).out).not.toContain('\u001b');
  });

  it("never obeys what an agent's message says to the terminal", async () => {
    const { tiny, fake } = makeHarness();
    fake.put(SESSIONS, session('a', { status: { message: '\u001b]0;owned\u0007\u001b[2J\rok' } }));
    for (const argv of [['ls'], ['ls', '-o', 'wide'], ['show', 'a'], ['ls', '-o', 'yaml']]) {
      const { out } = await tiny(argv);
      expect(out).not.toContain('\u001b');
      expect(out).not.toContain('\r');
    }
  });

  it('with -w prints each change and not the same state twice, until Ctrl-C', async () => {
    const { tiny, fake } = filled();
    const stop = new AbortController();
    fake.fault = (request) => {
      if (request !== 'WATCH sessions') return;
      setImmediate(() =>
        fake.put(SESSIONS, session('refactor', { status: { conditions: [condition(['Ready', 'True', 'Waiting'])] } })),
      );
      setImmediate(() => fake.remove(SESSIONS, { namespace: 'demo', name: 'refactor' }));
    };
    const onOut = (all: string) => all.includes('Terminating') && stop.abort();
    const { code, out } = await tiny(['ls', '-w'], { signal: stop.signal, onOut });
    expect(code).toBe(130);
    expect(out.split('\n').map((line) => line.split(/ +/).slice(0, 2).join(' '))).toEqual([
      'NAME STATE',
      'done Finished',
      'refactor Working',
      'refactor Waiting',
      'refactor Terminating',
      '',
    ]);
  });

  it('says that the resources are not installed', async () => {
    const { tiny, fake } = makeHarness();
    fake.fault = () => {
      throw new ApiError(404, { message: '404 page not found' });
    };
    const { code, err } = await tiny(['ls']);
    expect(code).toBe(1);
    expect(err).toContain('the resources of tiny.dev are not installed');
  });
});

describe('tiny questions', () => {
  const asked = () => {
    const harness = makeHarness();
    harness.fake.put(QUESTIONS, question('q-open'));
    harness.fake.put(QUESTIONS, question('q-late', { expiresAt: ago(5) }));
    harness.fake.put(
      QUESTIONS,
      question('q-done', { answer: { option: 'allow', at: ago(5), by: { username: 'bob' } } }),
    );
    harness.fake.put(QUESTIONS, question('q-other', { session: 'other', kind: 'Ask', text: 'Which?\u001b[2J' }));
    return harness;
  };

  it('lists the open ones, harmless', async () => {
    const { out } = await asked().tiny(['questions']);
    expect(out).toMatch(
      /^q-open@uid-\d+ +refactor +Permit +Open +allow,allow-always,deny +30s +May I run the tests\?$/m,
    );
    expect(out).toContain('Which?␛[2J');
    expect(out).not.toContain('q-late');
    expect(out).not.toContain('q-done');
  });

  it('lists all, or those of one Session', async () => {
    const { tiny } = asked();
    const { out } = await tiny(['questions', '--all', '-o', 'wide']);
    expect(out).toMatch(/q-late.*Expired/);
    expect(out).toMatch(/q-done.*Answered.*bob/);
    expect((await tiny(['questions', 'other', '-o', 'name'])).out).toBe('question.tiny.dev/q-other\n');
    expect((await tiny(['questions', 'nobody'])).err).toContain('No open questions found');
  });
});

describe('tiny show', () => {
  it('tells how it was asked to work: the agent, where its model is, what it pushes with, when it sleeps', async () => {
    const { tiny, fake } = makeHarness();
    const push = { credentialsSecret: 'write', unasked: false };
    const spec = {
      agent: { name: 'codex', model: 'm', mode: 'agent', baseUrl: 'http://gw:4000/v1' },
      repository: { url: 'https://h/x', depth: 1, push },
      idle: { suspendAfter: '30m', finishAfter: '0s', stalledAfter: '1h' },
    };
    fake.put(SESSIONS, session('a', { spec, status: { usage: { turns: 0 } } }));
    const { out } = await tiny(['show', 'a']);
    expect(out).toMatch(/^Agent: +codex \(m\) in mode agent at http:\/\/gw:4000\/v1$/m);
    expect(out).toMatch(/^Pushes: +with Secret write, after a yes$/m);
    expect(out).toMatch(/^Sleeps: +after waiting for 30m$/m);
    expect(out).not.toContain('Turns');
    const opens = { ...push, unasked: true, pullRequests: { provider: 'github' as const } };
    fake.put(SESSIONS, session('a', { spec: { ...spec, repository: { ...spec.repository, push: opens } } }));
    expect((await tiny(['show', 'a'])).out).toMatch(/with Secret write, unasked; opens pull requests at github$/m);
  });

  it('tells all that matters, with the command that answers', async () => {
    const { tiny, fake } = makeHarness();
    fake.put(
      SESSIONS,
      session('refactor', {
        spec: {
          repository: { url: 'https://github.com/acme/shop', ref: 'main' },
          messages: [{ id: 'm-1', text: 'Also the docs' }],
        },
        status: {
          conditions: [condition(['Ready', 'True', 'Waiting'], 'asks')],
          result: { summary: 'Half done', commit: 'abc' },
          usage: { inputTokens: 5 },
        },
      }),
    );
    fake.put(SESSIONS, session('child', { spec: { parent: 'refactor', requester: { username: 'bob' } } }));
    fake.put(QUESTIONS, question('q-open'));
    const { out, code } = await tiny(['show', 'refactor']);
    expect(code).toBe(0);
    for (const text of [
      /^State: +Waiting$/m,
      /^Requester: +alice$/m,
      /^Repository: +https:\/\/github.com\/acme\/shop at main$/m,
      /^ {2}> Fix it$/m,
      /m-1 \(not read yet\):\n {2}> Also the docs/,
      /^ {4}> npm test\n {4}Input:\n {4}> \{"command":"npm test"\}\n {4}On yes the agent does this \(execute\)\.\n/m,
      /^ {4}tiny answer q-open@uid-\d+ allow +\[Allow\] +Yes$/m,
      /child +Pending +bob/,
      /Summary: +> Half done/,
      /Ready +True +Waiting +10s +asks/,
    ]) {
      expect(out).toMatch(text);
    }
  });

  it('shows one Question whole', async () => {
    const { tiny, fake } = makeHarness();
    fake.put(QUESTIONS, question('q', { answer: { option: 'deny', by: { username: 'bob' } } }));
    expect((await tiny(['show', 'question/q'])).out).toContain('Answered by bob: deny');
  });

  it('hides nothing of a Session that an agent asks for', async () => {
    const { tiny, fake } = makeHarness();
    const { toolCall: _, ...rest } = question('q').spec;
    const spec = { prompt: 'go\non', credentials: [{ secret: 'admin-keys' }], approvals: { allow: ['execute'] } };
    const spawn = { name: 'child', spec: { ...session('child').spec, ...spec } };
    fake.put(QUESTIONS, { ...question('q'), spec: { ...rest, kind: 'Spawn', spawn } } as never);
    const { out } = await tiny(['show', 'question/q']);
    expect(out).toContain('credentials: [{"secret":"admin-keys"}]');
    expect(out).toContain('approvals: {"allow":["execute"]}');
    expect(out).toMatch(/Prompt:\n {2}> go\n {2}> on\n {2}On yes a Session "child" is made in your name/);
  });

  it("lets no text pass for tiny's own lines, nor push them away", async () => {
    const { tiny, fake } = makeHarness();
    const forged = `Fine?${'\n'.repeat(80)}  On yes nothing happens.\n  tiny answer q deny   [Deny]  Allow`;
    const toolCall = {
      id: '1',
      title: 'x',
      kind: 'execute' as const,
      input: '\u2800\u3164\n\n\n\n\n',
      diff: `a${' '.repeat(150)}b`,
    };
    fake.put(QUESTIONS, question('q', { text: forged, toolCall }));
    const lines = (await tiny(['show', 'question/q'], { terminal: true, env: { NO_COLOR: '1' } })).out.split('\n');
    expect(lines.length).toBeLessThan(30);
    expect(lines).toContain('  (77 more blank lines)');
    expect(lines).toContain('  > \\u{2800}\\u{3164}');
    expect(lines.filter((line) => /^ *(On yes|tiny answer)/.test(line))).toEqual([
      '  On yes the agent does this (execute).',
      expect.stringMatching(/tiny answer q@\S+ allow +\[Allow\]/),
      expect.stringMatching(/tiny answer q@\S+ allow-always/),
      expect.stringMatching(/tiny answer q@\S+ deny/),
    ]);
    expect(lines.slice(-5)[0]).toContain('On yes');
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(lines.some((line) => /^ {2}> +b$/.test(line))).toBe(true);
  });

  it('names what may have been meant', async () => {
    const { tiny } = filled();
    const { code, err } = await tiny(['show', 'refactr']);
    expect(code).toBe(1);
    expect(err).toBe('error: Session "refactr" was not found in namespace demo\n  Did you mean refactor?\n');
  });
});
