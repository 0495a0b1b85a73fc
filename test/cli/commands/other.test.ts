import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { QUESTIONS, SESSIONS } from '../../../lib/kube/types.ts';
import { makeHarness, question, session } from '../harness.ts';

const audited = (more: object, name = 'refactor') =>
  JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    stage: 'ResponseComplete',
    verb: 'create',
    user: { username: 'system:serviceaccount:tiny-system:session' },
    impersonatedUser: { username: 'alice' },
    objectRef: { resource: 'deployments', apiGroup: 'apps', namespace: 'demo', name },
    responseStatus: { code: 201 },
    requestReceivedTimestamp: '2026-11-30T11:59:00.000000Z',
    ...more,
  });

describe('tiny audit', () => {
  const log = [
    audited({}),
    audited({ verb: 'get' }),
    audited({ stage: 'RequestReceived' }),
    audited({ user: { username: 'carol' }, impersonatedUser: undefined, responseStatus: { code: 403 } }, 'other'),
    audited({ objectRef: { resource: 'selfsubjectreviews', apiGroup: 'authentication.k8s.io' } }),
    '{"kind":"Event","stage":"Respon',
  ].join('\n');
  const files = { '/home/alice/.local/share/tiny/audit.log': log };

  it('tells who did what and for whom; reads and questions about oneself are no deeds', async () => {
    const { out, err, code } = await makeHarness().tiny(['audit'], { files });
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.replace(/ {3,}/g, '|'))).toEqual([
      'WHEN|VERB|RESOURCE|NAME|USER|ACTING FOR|RESULT',
      '60s ago|create|deployments.apps|refactor|system:serviceaccount:tiny-system:session|alice|done',
      '60s ago|create|deployments.apps|other|carol|<none>|refused',
      '',
    ]);
    expect(err).toBe('1 lines of the log are torn and were left out.\n');
  });

  it('leaves out what the cluster itself did, unless all is wanted', async () => {
    const by = (username: string, more = {}) => audited({ user: { username }, impersonatedUser: undefined, ...more });
    const users = [
      ...['standin:node', 'system:serviceaccount:kube-system:deployment-controller', 'system:kube-scheduler'],
      ...['system:serviceaccount:demo:ci', 'dave'],
    ];
    const x = [...users.map((user) => by(user)), by('system:node:n1', { impersonatedUser: { username: 'eve' } })].join(
      '\n',
    );
    const told = async (...flags: string[]) => {
      const { out } = await makeHarness().tiny(['audit', '--file', 'x', '-o', 'json', ...flags], { files: { x } });
      return JSON.parse(out).map(({ user }: Record<string, string>) => user);
    };
    expect(await told()).toEqual(['system:serviceaccount:demo:ci', 'dave', 'system:node:n1']);
    expect(await told('--all')).toEqual([...users, 'system:node:n1']);
  });

  it('never tells a dry run as a deed that was done', async () => {
    const dry = audited({
      requestURI: '/apis/tiny.dev/v1alpha1/namespaces/demo/sessions?dryRun=All&fieldManager=tiny',
    });
    const { out } = await makeHarness().tiny(['audit', '--file', 'x'], { files: { x: dry } });
    expect(out).toMatch(/alice +dry run\n$/);
  });

  it('of one Session, of another file, with the part before the rotation, for a machine', async () => {
    const more = { 'x.log': audited({}), 'x.log.1': `${audited({ verb: 'patch' }, 'refactor-0123')}\n` };
    const { out } = await makeHarness().tiny(['audit', 'refactor', '--file', 'x.log', '-o', 'json'], { files: more });
    expect(
      JSON.parse(out).map(({ verb, name, impersonatedUser }: Record<string, string>) => [verb, name, impersonatedUser]),
    ).toEqual([
      ['patch', 'refactor-0123', 'alice'],
      ['create', 'refactor', 'alice'],
    ]);
  });

  it('says where it looked', async () => {
    const { code, err } = await makeHarness().tiny(['audit'], { env: { XDG_DATA_HOME: '/data' } });
    expect(code).toBe(1);
    expect(err).toContain("can't read the audit log /data/tiny/audit.log");
  });
});

describe('tiny replay', () => {
  const event = (kind = 'Session', name = 'a') => ({
    headers: {
      'ce-id': '1',
      'ce-source': 'https://10.96.0.1:443',
      'ce-specversion': '1.0',
      'ce-type': 'dev.knative.apiserver.ref.add',
      'content-type': 'application/json',
      host: 'elsewhere',
    },
    body: JSON.stringify({ kind, namespace: 'demo', name, apiVersion: 'tiny.dev/v1alpha1' }),
  });
  const files = {
    'one.json': JSON.stringify(event()),
    'many.json': JSON.stringify([event(), { ...event('Question', 'q'), note: 'a question' }]),
    'structured.json': JSON.stringify({
      specversion: '1.0',
      id: '1',
      source: 'x',
      type: 'dev.knative.apiserver.ref.update',
      data: JSON.parse(event().body),
    }),
    'bad.json': '{',
    'other.json': '{"a":1}',
    'wrong.json': JSON.stringify({ ...event('Pod'), headers: { ...event().headers, 'ce-type': 'x' } }),
  };
  const writes = (requests: string[]) => requests.filter((request) => /^(CREATE|PATCH|STATUS|DELETE)/.test(request));

  it.each(['one.json', 'structured.json'])('--dry-run of %s prints the plan and does nothing', async (file) => {
    const { tiny, fake } = makeHarness();
    fake.put(SESSIONS, session('a'));
    const { out, code } = await tiny(['replay', file, '--dry-run'], { files });
    expect(code).toBe(0);
    expect(out).toMatch(/^act as {3}alice\ncreate {3}PersistentVolumeClaim\/a\ncreate {3}Secret\/a-prompt-\w{10}\n/);
    expect(out).toContain('report   Materialised=True (Materialised)');
    expect(writes(fake.requests)).toEqual([]);
  });

  it("does what the function would, with one's own rights", async () => {
    const { tiny, fake } = makeHarness();
    fake.put(SESSIONS, session('a'));
    const { out, code } = await tiny(['replay', 'one.json'], { files });
    expect(code).toBe(0);
    expect(out).toMatch(/^Session demo\/a: done \(HTTP 202\)/);
    expect(writes(fake.requests)).toContain('CREATE deployments a');
  });

  it('of several events takes the one that is named', async () => {
    const { tiny, fake } = makeHarness();
    fake.put(QUESTIONS, question('q', { answer: { option: 'deny', by: { username: 'alice' } } }));
    expect(await tiny(['replay', 'many.json'], { files })).toMatchObject({
      code: 2,
      err: expect.stringContaining('--index 2   a question'),
    });
    expect((await tiny(['replay', 'many.json', '--index', '2', '--dry-run'], { files })).out).toContain(
      'Acted=True (Denied)',
    );
    expect((await tiny(['replay', 'many.json', '--index', '3'], { files })).code).toBe(2);
  });

  it('sends it to a function that listens', async () => {
    const sent: unknown[] = [];
    const fetch = (async (url: string, { headers, body }: RequestInit) => {
      sent.push(url, headers, body);
      return new Response(null, { status: sent.length > 3 ? 500 : 202 });
    }) as typeof globalThis.fetch;
    const { tiny } = makeHarness();
    const { host: _, ...headers } = event().headers;
    expect((await tiny(['replay', 'one.json', '--to', 'http://localhost:8080'], { files, deps: { fetch } })).out).toBe(
      'http://localhost:8080 answered 202\n',
    );
    expect(sent).toEqual(['http://localhost:8080', headers, event().body]);
    expect((await tiny(['replay', 'one.json', '--to', 'http://localhost:8080'], { files, deps: { fetch } })).code).toBe(
      1,
    );
  });

  it.each([
    ['no JSON', ['bad.json'], 2, /is no JSON/],
    ['no event', ['other.json'], 2, /neither a captured request/],
    ['an event that no function takes', ['wrong.json'], 1, /each would answer 400/],
    ['a URL that is none', ['one.json', '--to', 'ftp://x'], 2, /must be an http or https URL/],
  ])('refuses %s', async (...[, argv, exit, message]) => {
    const { code, err } = await makeHarness().tiny(['replay', ...argv], { files });
    expect(err).toMatch(message);
    expect(code).toBe(exit);
  });
});

describe('tiny whoami and version', () => {
  it('tells who, where, and whether events are delivered', async () => {
    const { tiny, fake } = makeHarness();
    const { out } = await tiny(['whoami']);
    expect(out).toMatch(/^Name: +alice$/m);
    expect(out).toMatch(/^Namespace: +demo$/m);
    expect(out).toMatch(/^Knative: +yes/m);
    fake.knative = false;
    const other = makeHarness();
    other.fake.knative = false;
    expect(JSON.parse((await other.tiny(['whoami', '-o', 'json'])).out)).toMatchObject({
      username: 'alice',
      knative: false,
      context: 'here',
    });
  });

  it('tells the versions, and its own without a cluster too', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const { tiny, fake } = makeHarness();
    expect((await tiny(['version'])).out).toMatch(/Kubernetes: +v1\.37\.2/);
    expect((await tiny(['--version'])).out).toBe(`${version}\n`);
    fake.fault = () => {
      throw new Error('down');
    };
    expect(await tiny(['version'])).toMatchObject({ code: 0, out: expect.stringContaining(version) });
  });
});
