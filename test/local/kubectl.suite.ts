/**
 * `kubectl`, as people use it, against the stand-in. Each kubectl of 1.32 or newer that is found is tried: on the
 * path, and in KUBEBUILDER_ASSETS.
 */
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORE, SESSIONS, type Server, session, startServer } from './api/support.ts';

const CRDS = fileURLToPath(new URL('../../crds/', import.meta.url));

interface Version {
  clientVersion: { major: string; minor: string; gitVersion: string };
}

/** `gitVersion` of a kubectl that is new enough. */
function versionOf(kubectl: string): string | undefined {
  const { stdout } = spawnSync(kubectl, ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
  if (!stdout) return undefined;
  const { major, minor, gitVersion } = (JSON.parse(stdout) as Version).clientVersion;
  return Number(major) > 1 || Number.parseInt(minor, 10) >= 32 ? gitVersion : undefined;
}

const { KUBEBUILDER_ASSETS: assets } = process.env;
const found = ['kubectl', ...(assets ? [join(assets, 'kubectl')] : [])].flatMap((path) => {
  const version = versionOf(path);
  return version ? [{ path, version }] : [];
});
if (found.length === 0)
  process.stderr.write('kubectl.test.ts is skipped: no kubectl of 1.32 or newer is on the path\n');

describe.skipIf(found.length === 0).each(found)('kubectl $version', ({ path }) => {
  let server: Server;
  let home = '';

  /** Runs `kubectl ARGS` as `user` and returns what it printed, on both streams. */
  const run = (
    args: string[],
    { user = 'admin', stdin = '', env = {} } = {},
  ): Promise<{ code: number; text: string }> =>
    new Promise((resolve, reject) => {
      const child = spawn(path, ['--kubeconfig', join(home, user), ...args], {
        env: { ...process.env, HOME: home, KUBECACHEDIR: join(home, 'cache'), NO_COLOR: '1', ...env },
      });
      let text = '';
      child.stdout.on('data', (chunk) => (text += chunk));
      child.stderr.on('data', (chunk) => (text += chunk));
      child.on('error', reject).on('close', (code) => resolve({ code: code ?? -1, text }));
      child.stdin.on('error', () => {}).end(stdin);
    });
  const kubectl = async (line: string, options: Parameters<typeof run>[1] = {}): Promise<string> =>
    (await run(line.split(' '), options)).text;
  /** What each of these prints, asked for all at once: for commands that change nothing. */
  const kubectlAll = (...lines: string[]): Promise<string[]> => Promise.all(lines.map((line) => kubectl(line)));
  const apply = (...objects: unknown[]) =>
    kubectl('apply -f -', { stdin: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) });

  beforeAll(async () => {
    server = await startServer({
      logs: async function* ({ pod, container }) {
        yield `${pod}/${container} says hello\n`;
      },
    });
    home = server.dataDir;
    for (const token of ['admin', 'alice']) {
      const cluster = { server: server.url, 'certificate-authority-data': Buffer.from(server.ca).toString('base64') };
      const context = { cluster: 'c', user: token, namespace: 'work' };
      const config = {
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'c', cluster }],
        users: [{ name: token, user: { token } }],
        contexts: [{ name: 'c', context }],
        'current-context': 'c',
      };
      writeFileSync(join(home, token), JSON.stringify(config));
    }
  });
  afterAll(() => server.close());

  it('applies definitions and manifests, says what is unchanged, and refuses a typo with its place', async () => {
    expect(await kubectl(`apply -f ${CRDS}`)).toContain('sessions.tiny.dev configured');
    expect(await kubectl('wait --for=condition=Established crd/sessions.tiny.dev')).toContain('condition met');
    expect(await apply(session('one'))).toBe('session.tiny.dev/one created\n');
    expect(await apply(session('one'))).toBe('session.tiny.dev/one unchanged\n');
    expect(await apply(session('one', { suspend: true }))).toBe('session.tiny.dev/one configured\n');
    expect(await apply(session('typo', { promt: 'x' }))).toContain('strict decoding error: unknown field "spec.promt"');
    expect(await apply(session('wrong', { approvals: { allow: ['fly'] } }))).toContain(
      'The Session "wrong" is invalid: spec.approvals.allow[0]: Unsupported value: "fly"',
    );
  });

  it('applies on the server, and tells of a conflict', async () => {
    const stdin = JSON.stringify(session('served'));
    expect(await kubectl('apply --server-side -f -', { stdin })).toBe('session.tiny.dev/served serverside-applied\n');
    const other = JSON.stringify(session('served', { agent: { name: 'codex' } }));
    const text = await kubectl('apply --server-side --field-manager other -f -', { stdin: other });
    expect(text).toContain('conflict with "kubectl": .spec.agent.name');
  });

  it('gets tables, wide, by short name and category, sorted and selected', async () => {
    const [plain, short, category, wide, everywhere, selected, others, unknown, none] = await kubectlAll(
      'get sessions',
      'get sess one -o name',
      'get tiny',
      'get sess -o wide',
      'get sess -A --sort-by .metadata.name',
      'get sess --field-selector metadata.name=served -o jsonpath={.items[*].spec.prompt}',
      'get ns,crd',
      'get nothing',
      'get sess none',
    );
    expect(plain).toMatch(/^NAME +AGENT +STATE +MESSAGE +AGE\none +rehearsal/);
    expect(short).toBe('session.tiny.dev/one\n');
    expect(category).toContain('session.tiny.dev/one');
    expect(wide).toMatch(/^NAME.*REQUESTER.*\none .* admin/);
    expect(everywhere).toMatch(/^NAMESPACE +NAME/);
    expect(selected).toBe('hello');
    expect(others).toMatch(/namespace\/work +Active/);
    expect(unknown).toContain('the server doesn\'t have a resource type "nothing"');
    expect(none).toBe('Error from server (NotFound): sessions.tiny.dev "none" not found\n');
  });

  it('describes', async () => {
    expect(await kubectl('describe session one')).toMatch(/Kind: +Session[\s\S]*Prompt: +hello[\s\S]*Events: +<none>/);
    expect(await kubectl('describe ns work')).toContain('Active');
  });

  it('patches, labels, and edits', async () => {
    expect(await run(['patch', 'session', 'one', '--type', 'merge', '-p', '{"spec":{"suspend":false}}'])).toMatchObject(
      { code: 0 },
    );
    const json = '[{"op":"replace","path":"/spec/suspend","value":true}]';
    expect((await run(['patch', 'session', 'one', '--type', 'json', '-p', json])).text).toContain('patched');
    const status =
      '{"status":{"message":"hi","conditions":[{"type":"Ready","status":"True","reason":"Working","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}';
    expect(
      (await run(['patch', 'session', 'one', '--subresource', 'status', '--type', 'merge', '-p', status])).text,
    ).toContain('patched');
    expect(await kubectl('label session one team=a')).toContain('labeled');
    const env = { EDITOR: `sed -i s/suspend:.true/suspend:\\ false/` };
    expect(await kubectl('edit session one', { env })).toContain('session.tiny.dev/one edited');
    expect(await kubectl('get session one -o jsonpath={.spec.suspend}/{.status.message}')).toBe('false/hi');
  });

  it('waits for a condition, a value and a deletion', async () => {
    expect(await kubectl('wait --for=condition=Ready session/one --timeout=5s')).toContain('condition met');
    expect(await kubectl('wait --for=jsonpath={.spec.suspend}=false session/one --timeout=5s')).toContain(
      'condition met',
    );
    const waiting = kubectl('wait --for=delete session/served --timeout=10s');
    expect(await kubectl('delete session served')).toMatch(/session.tiny.dev "served" deleted/);
    expect(await waiting).not.toContain('timed out');
  });

  it('watches until what is awaited is there', async () => {
    const waiting = kubectl('wait --for=create session/late --timeout=10s');
    await server.ask('POST', SESSIONS, session('late'));
    expect(await waiting).toContain('session.tiny.dev/late condition met');
  });

  it('shows the workload: deployments, pods, claims, logs, rollout', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'x' }] } };
    await apply(
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: { selector: { matchLabels: { a: 'b' } }, template },
      },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: template.spec },
    );
    expect(await kubectl('get deploy,pods')).toMatch(/deployment.apps\/d +0\/1[\s\S]*pod\/p +0\/1 +Pending/);
    expect(await kubectl('logs p')).toBe('p/c says hello\n');
    expect(await kubectl('scale deploy d --replicas 3')).toContain('stand-in');
    const patch = '{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"y"}]}}}}';
    expect((await run(['patch', 'deploy', 'd', '-p', patch])).text).toBe('deployment.apps/d patched\n');
    expect(await kubectl('rollout restart deploy d')).toContain('restarted');
    expect(await kubectl('describe deploy d')).toMatch(/Replicas: +1 desired[\s\S]*Image: +y/);
    expect((await server.ask('GET', `${CORE}/pods/p`)).body.status.phase).toBe('Pending');
  });

  it('answers what one may', async () => {
    expect(await kubectl('auth can-i create sessions')).toBe('yes\n');
    expect(await kubectl('auth can-i create sessions', { user: 'alice' })).toBe('no\n');
    expect(await kubectl('auth whoami', { user: 'alice' })).toMatch(/Username +alice/);
    expect(await kubectl('auth can-i --list', { user: 'alice' })).toContain('selfsubjectreviews');
    expect(await kubectl('get sessions', { user: 'alice' })).toContain('User "alice" cannot list resource "sessions"');
    expect(await kubectl('get sessions --as alice')).toContain('User "alice" cannot list resource "sessions"');
  });

  it('explains', async () => {
    const [field, all, resources] = await kubectlAll(
      'explain session.spec.prompt',
      'explain questions --recursive',
      'api-resources --api-group tiny.dev',
    );
    expect(field).toMatch(/KIND: +Session[\s\S]*What the agent is to do\./);
    expect(all).toContain('defaultOption');
    expect(resources).toMatch(/sessions +\S+ +tiny.dev\/v1alpha1 +true +Session/);
  });

  it('says which commands it can not read', async () => {
    expect(await kubectl('create namespace other')).toContain('use kubectl apply with a manifest');
    expect(await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })).toContain('created');
  });

  it('deletes', async () => {
    expect(await kubectl('delete session one late')).toMatch(/"one" deleted[\s\S]*"late" deleted/);
    expect(await kubectl('delete pods --all')).toContain('pod "p" deleted');
    expect(await kubectl('delete namespace other')).toContain('namespace "other" deleted');
    expect(await kubectl('get sessions')).toContain('No resources found');
  });
});
