import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ApiError } from '../../../lib/kube/errors.ts';
import { SESSIONS } from '../../../lib/kube/types.ts';
import { condition, makeHarness, session } from '../harness.ts';

const made = (harness: ReturnType<typeof makeHarness>, name = 'a') =>
  harness.fake.read(SESSIONS, { namespace: 'demo', name });

describe('tiny new', () => {
  it('makes a Session of all its flags, stamped with who asked', async () => {
    const harness = makeHarness();
    const flags =
      '--name a --repo https://github.com/acme/shop --ref main --repo-secret read --push-secret write --pull-requests github --agent codex --model m --base-url http://gw:4000/v1 --suspend-after 30m --allow read,edit --allow fetch,run --budget 2M --budget 5USD --env A=b=c --env B= --credentials keys --storage 20Gi --suspend --deadline 2h';
    const { code, out, err } = await harness.tiny([
      'new',
      'Fix it',
      ...flags.split(' '),
      '--allow-command',
      'npm run *',
    ]);
    expect({ code, out, err }).toEqual({ code: 0, out: 'session.tiny.dev/a created\n', err: '' });
    expect(made(harness)?.spec).toMatchObject({
      prompt: 'Fix it',
      repository: {
        url: 'https://github.com/acme/shop',
        ref: 'main',
        depth: 1,
        credentialsSecret: 'read',
        push: { credentialsSecret: 'write', unasked: false, pullRequests: { provider: 'github' } },
      },
      idle: { suspendAfter: '30m', finishAfter: '0s' },
      agent: {
        name: 'codex',
        model: 'm',
        baseUrl: 'http://gw:4000/v1',
        env: [
          { name: 'A', value: 'b=c' },
          { name: 'B', value: '' },
        ],
      },
      approvals: { allow: ['read', 'edit', 'fetch', 'run'], commands: ['npm run *'] },
      budget: { tokens: 2_000_000, cost: { amount: '5', currency: 'USD' } },
      credentials: [{ secret: 'keys' }],
      storage: { size: '20Gi', accessMode: 'ReadWriteOnce' },
      suspend: true,
      deadline: '2h',
      requester: { username: 'alice', groups: ['system:authenticated'] },
    });
  });

  it('makes a name where none is given', async () => {
    const { tiny } = makeHarness();
    expect((await tiny(['new', 'Fix the login', '-o', 'name'])).out).toMatch(
      /^session\.tiny\.dev\/fix-the-login-\w{5}\n$/,
    );
  });

  it('takes any text from stdin and files as it is', async () => {
    const prompt = '"quotes" $(rm -rf /) `x` \u2028 😀 שלום\ttab\nline\n';
    const harness = makeHarness();
    expect((await harness.tiny(['new', '-', '--name', 'a'], { stdin: prompt })).code).toBe(0);
    expect((await harness.tiny(['new', '-f', 'task.md', '--name', 'b'], { files: { 'task.md': prompt } })).code).toBe(
      0,
    );
    expect(made(harness)?.spec.prompt).toBe(prompt);
    expect(made(harness, 'b')?.spec.prompt).toBe(prompt);
  });

  it.each([
    ['no prompt', ['new'], /the prompt is missing/],
    ['a command with more than words', ['new', 'x', '--allow-command', 'a; b'], /--allow-command: must be words/],
    ['a budget of nothing', ['new', 'x', '--budget', '0'], /--budget: /],
    ['two prompts', ['new', 'x', '-f', 'task.md'], /given twice/],
    ['an empty prompt', ['new', ''], /prompt is missing/],
    ['a file that is not there', ['new', '-f', 'none.md'], /can't read none.md/],
    ['a name too long', ['new', 'x', '--name', 'a'.repeat(41)], /--name: .*40 characters/],
    ['a name in capitals', ['new', 'x', '--name', 'Fix'], /--name: .*DNS label/],
    ['a local path as repository', ['new', 'x', '--repo', '/etc/passwd'], /--repo: must be https/],
    ['a repository with a password', ['new', 'x', '--repo', 'https://u:p@h/x'], /--repo: .*credentialsSecret/],
    ['a metadata address', ['new', 'x', '--repo', 'http://169.254.169.254/x'], /--repo: .*metadata/],
    ['an option as repository', ['new', 'x', '--repo=--upload-pack=evil'], /--repo: /],
    ['an option as ref', ['new', 'x', '--repo', 'https://h/x', '--ref=-x'], /--ref: .*must not start with "-"/],
    ['a ref alone', ['new', 'x', '--ref', 'main'], /--ref, .* are about a repository: name that with --repo/],
    ['a Secret for no repository', ['new', 'x', '--push-secret', 'key'], /about a repository: name that with --repo/],
    [
      'pull requests without a credential',
      ['new', 'x', '--repo', 'https://h/x', '--pull-requests', 'github'],
      /name that with --push-secret/,
    ],
    [
      'pull requests of nobody known',
      ['new', 'x', '--repo', 'https://h/x', '--push-secret', 'k', '--pull-requests', 'gitea'],
      /--pull-requests: .*github/,
    ],
    ['a base URL with a password', ['new', 'x', '--base-url', 'https://u:p@h/v1'], /--base-url: must be an http/],
    ['a time that is none', ['new', 'x', '--suspend-after', 'soon'], /--suspend-after: /],
    ['an agent without command', ['new', 'x', '--agent', 'mine'], /--agent: .*agent.command/],
    ['a kind that is none', ['new', 'x', '--allow', 'raed'], /--allow "raed".*\n.*Did you mean read\?/],
    ['a variable without value', ['new', 'x', '--env', 'A'], /--env "A" must be NAME=VALUE/],
    ['a bad duration', ['new', 'x', '--deadline', '2 hours'], /--deadline: must be a duration/],
    ['a bad size', ['new', 'x', '--storage', 'big'], /--storage: must be a quantity/],
    ['a dry run with a wait', ['new', 'x', '--dry-run', '--wait'], /--dry-run makes nothing/],
  ])('refuses %s with exit 2, and makes nothing', async (_, argv, message) => {
    const { tiny, fake } = makeHarness();
    const { code, out, err } = await tiny(argv);
    expect(err).toMatch(message);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(fake.requests).toEqual([]);
  });

  it('refuses a prompt past the limit in bytes, and takes one at it', async () => {
    const harness = makeHarness();
    const long = await harness.tiny(['new', '-', '--name', 'a'], { stdin: 'é'.repeat(128 * 1024 + 1) });
    expect(long.code).toBe(2);
    expect(long.err).toContain('the prompt has 262146 bytes, and at most 262144 (256 KiB) are taken');
    expect((await harness.tiny(['new', '-', '--name', 'a'], { stdin: 'é'.repeat(128 * 1024) })).code).toBe(0);
  });

  it('refuses what is no UTF-8 with the offset', async () => {
    const { tiny } = makeHarness();
    const { code, err } = await tiny(['new', '-'], { stdin: Buffer.from([0x61, 0xff]) });
    expect(code).toBe(2);
    expect(err).toContain('stdin is no UTF-8 text: the byte at offset 1 is 0xff');
  });

  it('prints what it would make, and makes nothing', async () => {
    const { tiny, fake } = makeHarness();
    const { out, code } = await tiny(['new', 'x', '--name', 'a', '--dry-run', '-o', 'yaml']);
    expect(code).toBe(0);
    expect(parse(out)).toMatchObject({
      kind: 'Session',
      metadata: { name: 'a', namespace: 'demo' },
      spec: { prompt: 'x' },
    });
    expect(fake.requests).toEqual([]);
  });

  it("asks the cluster with dryRun=All for the server's side", async () => {
    const { tiny, fake } = makeHarness();
    expect((await tiny(['new', 'x', '--name', 'a', '--dry-run=server'])).out).toBe(
      'session.tiny.dev/a created (server dry run)\n',
    );
    expect(fake.requests.some((request) => request.startsWith('CREATE'))).toBe(false);
  });

  it('says that the name is taken', async () => {
    const { tiny, fake } = makeHarness();
    fake.put(SESSIONS, session('a'));
    const { code, err } = await tiny(['new', 'x', '--name', 'a']);
    expect(code).toBe(1);
    expect(err).toContain('Session "a" exists already in namespace demo');
  });

  it('says which right is missing', async () => {
    const { tiny, fake } = makeHarness();
    fake.fault = (request) => {
      if (!request.startsWith('CREATE')) return;
      throw new ApiError(403, {
        reason: 'Forbidden',
        message:
          'sessions.tiny.dev is forbidden: User "alice" cannot create resource "sessions" in API group "tiny.dev" in the namespace "demo"',
      });
    };
    const { code, err } = await tiny(['new', 'x']);
    expect(code).toBe(1);
    expect(err).toContain('you are alice and may not create sessions.tiny.dev in namespace demo');
  });
});

describe('tiny new --wait', () => {
  const finish = (reason: 'Completed' | 'Failed') => {
    const harness = makeHarness();
    harness.fake.fault = (request) => {
      if (!request.startsWith('WATCH')) return;
      const status = { conditions: [condition(['Finished', 'True', reason], 'so it went')] };
      queueMicrotask(() => harness.fake.put(SESSIONS, { ...session('a'), status } as never));
    };
    return harness.tiny(['new', 'x', '--name', 'a', '--wait']);
  };

  it('is 0 once the Session has completed', async () => {
    expect(await finish('Completed')).toMatchObject({ code: 0, out: 'session.tiny.dev/a created\n' });
  });

  it('is 1 where it failed, and says why', async () => {
    const { code, err } = await finish('Failed');
    expect(code).toBe(1);
    expect(err).toContain('Session "a" failed (Failed): so it went');
  });

  it('is 1 where it is refused for good, instead of waiting for ever', async () => {
    const harness = makeHarness();
    harness.fake.fault = (request) => {
      if (!request.startsWith('WATCH')) return;
      const status = { conditions: [condition(['Materialised', 'False', 'Forbidden'], 'no right to make claims')] };
      queueMicrotask(() => harness.fake.put(SESSIONS, { ...session('a'), status } as never));
    };
    const { code, err } = await harness.tiny(['new', 'x', '--name', 'a', '--wait']);
    expect(code).toBe(1);
    expect(err).toContain('no right to make claims');
  });

  it('is 1 where the Session is deleted meanwhile', async () => {
    const harness = makeHarness();
    harness.fake.fault = (request) => {
      if (request.startsWith('WATCH'))
        setImmediate(() => harness.fake.remove(SESSIONS, { namespace: 'demo', name: 'a' }));
    };
    expect(await harness.tiny(['new', 'x', '--name', 'a', '--wait'])).toMatchObject({ code: 1 });
  });
});

describe('without Knative', () => {
  it("tiny new makes the Session's objects itself, as the person", async () => {
    const harness = makeHarness();
    harness.fake.knative = false;
    const { code, err } = await harness.tiny(['new', 'x', '--name', 'a']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const writes = harness.fake.requests.filter((request) => /^(CREATE|STATUS)/.test(request));
    expect(writes.map((write) => write.split(' ').slice(0, 2).join(' '))).toEqual([
      'CREATE sessions',
      'CREATE persistentvolumeclaims',
      'CREATE secrets',
      'CREATE networkpolicies',
      'CREATE deployments',
      'STATUS sessions',
    ]);
  });
});
