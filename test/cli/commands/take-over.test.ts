import { describe, expect, it } from 'vitest';
import { SESSIONS } from '../../../lib/kube/types.ts';
import { makeHarness, session } from '../harness.ts';

const ref = (name = 'a') => ({ namespace: 'demo', name });

function withSession(more = {}) {
  const harness = makeHarness();
  harness.fake.put(SESSIONS, session('a', { spec: { requester: { username: 'alice' }, ...more } }));
  return { ...harness, spec: () => harness.fake.read(SESSIONS, ref())?.spec };
}

describe("somebody else's Session", () => {
  const spec = {
    requester: { username: 'zoe' },
    agent: { name: 'own', image: 'evil:1', command: ['sh', '-c', 'steal'], env: [{ name: 'KEY', value: 'hush' }] },
    credentials: [{ secret: 'deploy-keys' }],
    approvals: { allow: ['execute'] },
    network: { egress: [{ cidr: '10.0.0.0/8', ports: [22] }] },
    storage: {
      size: '1Gi',
      accessMode: 'ReadWriteOnce',
      retain: false,
      dataSource: { kind: 'VolumeSnapshot', name: 's' },
    },
    repository: {
      url: 'https://x/y',
      depth: 1,
      credentialsSecret: 'git',
      push: { credentialsSecret: 'write', unasked: true },
    },
    suspend: false,
  };
  const shown = [
    'pushes with: write, unasked',
    'image: evil:1',
    'command: ["sh","-c","steal"]',
    'env: KEY',
    'credentials: deploy-keys',
    'approvals, unasked: execute',
    'network egress: 10.0.0.0/8 (ports 22)',
    'data source: VolumeSnapshot/s',
    'repository: https://x/y',
    'repository credentials: git',
    'prompt: Fix it',
  ].map((line) => `> ${line}`);
  const writes = (requests: string[]) => requests.filter((request) => request.startsWith('PATCH'));

  it.each([[['touch', 'a']], [['suspend', 'a']], [['send', 'a', 'x']], [['touch', 'a', '--yes']]])(
    'is left alone by %j',
    async (argv) => {
      const { tiny, fake } = withSession(spec);
      const { code, err } = await tiny(argv);
      expect(code).toBe(1);
      expect(err).toContain('Session "a" acts for zoe, not for you');
      expect(err).toContain('`tiny touch --take-over a`');
      expect(writes(fake.requests)).toEqual([]);
    },
  );

  it('is left alone by resume, and where nobody is stamped or nobody knows who asks', async () => {
    expect((await withSession({ ...spec, suspend: true }).tiny(['resume', 'a'])).code).toBe(1);
    expect((await withSession({ requester: undefined }).tiny(['touch', 'a'])).err).toContain('acts for nobody');
    const unknown = withSession();
    unknown.fake.me = { username: '' };
    expect((await unknown.tiny(['touch', 'a'])).err).toContain('does not say who you are');
  });

  it('is shown and taken over after a yes', async () => {
    const harness = withSession(spec);
    const { code, err } = await harness.tiny(['touch', 'a', '--take-over'], { terminal: true, stdin: 'y\n' });
    expect(code).toBe(0);
    expect(err).toContain('Session "a" acts for zoe. As you it would run:');
    for (const line of shown) expect(err).toContain(line);
    expect(err).not.toContain('hush');
    expect(err).toContain('Take it over, to run as alice? [y/N] ');
    expect(harness.spec()?.requester?.username).toBe('alice');
  });

  it.each([
    ['a no', { terminal: true, stdin: 'n\n' }, 1],
    ['nobody to ask', {}, 2],
  ])('stays as it is after %s', async (_, options, exit) => {
    const { tiny, fake } = withSession(spec);
    expect((await tiny(['suspend', 'a', '--take-over'], options)).code).toBe(exit);
    expect(writes(fake.requests)).toEqual([]);
  });

  it('is taken over without a question by --yes, each of several; one yes a Session is asked for elsewhere', async () => {
    const several = () => {
      const harness = withSession(spec);
      harness.fake.put(SESSIONS, session('b', { spec }));
      return harness;
    };
    const { tiny, spec: now } = several();
    expect((await tiny(['suspend', 'a', 'b', '--take-over', '--yes'])).code).toBe(0);
    expect(now()?.requester?.username).toBe('alice');
    const asked = several();
    await asked.tiny(['touch', 'a', 'b', '--take-over'], { terminal: true, stdin: 'n\ny\n' });
    expect(asked.spec()?.requester?.username).toBe('zoe');
    expect(asked.fake.read(SESSIONS, ref('b'))?.spec.requester?.username).toBe('alice');
  });

  it('that changed after it was shown is shown and asked for again', async () => {
    const { tiny, fake, spec: now } = withSession(spec);
    fake.fault = (request) => {
      if (!request.startsWith('PATCH')) return;
      fake.fault = () => {};
      const agent = { ...spec.agent, image: 'worse:2' };
      fake.put(SESSIONS, { ...fake.read(SESSIONS, ref()), spec: { ...now(), agent } } as never);
    };
    const { code, err } = await tiny(['touch', 'a', '--take-over'], { terminal: true, stdin: 'y\nn\n' });
    expect(code).toBe(1);
    expect(err).toContain('image: worse:2');
    expect(now()?.requester?.username).toBe('zoe');
  });
});
