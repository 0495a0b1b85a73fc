import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Deps, Io } from '../../../cli/app.ts';
import { parseEnvironment } from '../../../cli/env.ts';
import { run } from '../../../cli/run.ts';
import type { KubeObject } from '../../../lib/api/meta.ts';
import { resourceTypeOf } from '../../../lib/install/apply.ts';
import { readManifests } from '../../../lib/install/manifests.ts';
import { findInstallation } from '../../../lib/install/removal.ts';
import { makeClient } from '../../../lib/kube/client.ts';
import { ApiError } from '../../../lib/kube/errors.ts';
import type { Client } from '../../../lib/kube/types.ts';
import { startApiServer } from '../../../local/api/server.ts';

const TOKENS = new Map([
  ['admin-token', { username: 'admin', groups: ['system:masters', 'system:authenticated'] }],
  ['alice-token', { username: 'alice', groups: ['system:authenticated'] }],
]);
type Who = 'admin' | 'alice';

/** A fresh API server, and the command against it. */
async function startCluster() {
  const dataDir = mkdtempSync(join(tmpdir(), 'tiny-install-'));
  const server = await startApiServer({ dataDir, now: () => new Date(), people: TOKENS, log: () => {} });
  const clientOf = (who: Who): Client =>
    makeClient({ server: server.url, ca: server.caPem, auth: { token: `${who}-token` }, fieldManager: 'tiny' });
  const clients = { admin: clientOf('admin'), alice: clientOf('alice') };
  async function tiny(argv: string[], { who = 'admin' as Who, typed = undefined as string | undefined } = {}) {
    const said = { out: '', err: '' };
    const stdin = (async function* () {
      if (typed !== undefined) yield Buffer.from(typed);
    })();
    const io: Io = {
      stdin: Object.assign(stdin, { isTTY: typed !== undefined }),
      stdout: { write: (text) => (said.out += text) },
      stderr: { write: (text) => (said.err += text), isTTY: typed !== undefined },
    };
    const deps: Deps = {
      program: 'tiny',
      readEnv: async () => parseEnvironment({ HOME: '/home/alice' }),
      now: () => new Date(),
      random: (count) => new Uint8Array(count),
      connect: async ({ namespace = 'team' }) => ({
        client: clients[who],
        namespace,
        context: 'here',
        server: server.url,
        send: async () => {},
      }),
      readFile: async () => Buffer.from(''),
      fetch,
      signal: new AbortController().signal,
    };
    const code = await run(argv, io, deps);
    return { code, ...said };
  }
  const read = (apiVersion: string, kind: string, metadata: KubeObject['metadata']) =>
    clients.admin.get(resourceTypeOf({ apiVersion, kind, metadata }), metadata);
  const close = async () => {
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { tiny, read, admin: clients.admin, close };
}
type Cluster = Awaited<ReturnType<typeof startCluster>>;

const EVENTING = readManifests(join(import.meta.dirname, '../../../knative'));
const READY = { conditions: [{ type: 'Ready', status: 'True' }] };

describe('tiny install', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster.close());

  it('shows first, and a dry run writes nothing', async () => {
    const { code, out, err } = await cluster.tiny(['install', '--dry-run']);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^ACTION +KIND +NAME +NAMESPACE +FIELDS\ncreate +CustomResourceDefinition +questions\.tiny\.dev/,
    );
    expect(out).toContain(' to create, 0 to change, 0 unchanged');
    expect(err).toContain('Kubernetes v1.37.0+tiny.standin');
    expect(await cluster.read('v1', 'Namespace', { name: 'tiny-system' })).toBeUndefined();
  });

  it('gives the objects whole to a machine', async () => {
    const { out } = await cluster.tiny(['install', '--dry-run', '-o', 'yaml']);
    expect(parse(out).items[0]).toMatchObject({ kind: 'CustomResourceDefinition', spec: { group: 'tiny.dev' } });
  });

  it('asks, and does nothing without a yes', async () => {
    expect(await cluster.tiny(['install'], { typed: 'n\n' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('[y/N]'),
    });
    expect(await cluster.tiny(['install'])).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect(await cluster.read('v1', 'Namespace', { name: 'tiny-system' })).toBeUndefined();
  });

  it('names the missing rights and who has them, and writes nothing', async () => {
    const { code, err } = await cluster.tiny(['install', '--yes'], { who: 'alice' });
    expect(code).toBe(1);
    expect(err).toContain('you may not install tiny here');
    expect(err).toContain('User "alice" cannot patch resource "customresourcedefinitions"');
    expect(err).toContain('--clusterrole=cluster-admin');
  });

  it('minimal is the two resources and nothing else', async () => {
    const { code, out } = await cluster.tiny(['install', '--minimal', '-o', 'name', '--dry-run']);
    expect(code).toBe(0);
    expect(out.split('\n').filter(Boolean)).toEqual(
      ['questions', 'sessions'].map((name) => `customresourcedefinition.apiextensions.k8s.io/${name}.tiny.dev`),
    );
  });

  it('after a yes all is there; again, it changes nothing', async () => {
    const { code, err } = await cluster.tiny(['install'], { typed: 'y\n' });
    expect({ code, err }).toMatchObject({
      code: 0,
      err: expect.stringMatching(/Functions and eventing: \d+ objects applied/),
    });
    expect(await cluster.read('v1', 'ServiceAccount', { name: 'session', namespace: 'tiny-system' })).toBeDefined();
    const again = await cluster.tiny(['install']);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('0 to create, 0 to change') });
  });

  it('takes all images from the registry that is named, and keeps what could not be delivered', async () => {
    const { code } = await cluster.tiny(['install', '-y', '--registry', 'registry.example/tiny']);
    expect(code).toBe(0);
    const at = { name: 'session', namespace: 'tiny-system' };
    expect(await cluster.read('serving.knative.dev/v1', 'Service', at)).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                image: 'registry.example/tiny/function-session:0.1.0',
                env: expect.arrayContaining([{ name: 'TINY_REGISTRY', value: 'registry.example/tiny' }]),
              },
            ],
          },
        },
      },
    });
    expect(
      await cluster.read('v1', 'ConfigMap', { name: 'tiny-installation', namespace: 'tiny-system' }),
    ).toMatchObject({ data: { registry: 'registry.example/tiny' } });
    expect(await cluster.read('eventing.knative.dev/v1', 'Trigger', at)).toMatchObject({
      spec: { delivery: { retry: 5, deadLetterSink: { ref: { name: 'dead-letters' } } } },
    });
  });

  it('says which field would change', async () => {
    const { out } = await cluster.tiny(['install', '--dry-run', '--kafka', '--registry', 'registry.example/tiny']);
    expect(out).toMatch(
      /change +Broker +tiny +tiny-system +.*metadata\.annotations\.messaging\.knative\.dev\/async-handler/,
    );
  });

  it.each([
    [['--registry', 'https://x'], 'is no HOST'],
    [['--minimal', '--impersonate', 'alice'], 'no functions'],
    [['--impersonate-group', 'team'], 'without --impersonate'],
    [['--minimal', '--kafka'], 'no eventing'],
    [['--minimal', '--with', 'slack'], 'no functions'],
    [['--with', 'teams'], 'there is no function "teams"'],
    [['--minimal', '--registry', 'registry.example'], 'TINY_REGISTRY'],
  ])('%j is wrong usage', async (argv, words) => {
    expect(await cluster.tiny(['install', ...argv])).toMatchObject({ code: 2, err: expect.stringContaining(words) });
  });

  it('the unrestricted verb is refused where the constrained one is, unless by force', async () => {
    const argv = ['install', '--dry-run', '--impersonate', 'alice,bob', '--impersonate-group', 'team'];
    expect(await cluster.tiny(argv)).toMatchObject({ code: 1, err: expect.stringContaining('would undo it') });
    const { out } = await cluster.tiny([...argv, '--force', '-o', 'json']);
    const role = JSON.parse(out).items.find(({ metadata }: KubeObject) => metadata.name === 'tiny-impersonate');
    expect(role.rules).toMatchObject([{ resourceNames: ['alice', 'bob'] }, { resourceNames: ['team'] }]);
  });
});

describe('tiny init and tiny doctor', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.tiny(['install', '-y']);
    for (const object of EVENTING)
      await cluster.admin.applyStatus(resourceTypeOf(object), { ...object, status: READY });
  });
  afterAll(() => cluster.close());
  const settings = () => cluster.read('v1', 'ConfigMap', { name: 'tiny-settings', namespace: 'team' });

  it('init makes the namespace and what belongs to it; a dry run does not', async () => {
    const parts = readManifests(join(import.meta.dirname, '../../../rbac/project')).length;
    expect((await cluster.tiny(['init', 'team', '--dry-run'])).out).toContain(`${parts + 2} to create`);
    expect(await cluster.read('v1', 'Namespace', { name: 'team' })).toBeUndefined();
    expect(await cluster.tiny(['init', 'team'])).toMatchObject({ code: 0 });
    expect((await cluster.read('v1', 'Namespace', { name: 'team' }))?.metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
    expect(await settings()).toMatchObject({ data: { 'about.txt': expect.stringContaining('answerers.users') } });
  });

  it('init again changes nothing, and never the settings', async () => {
    const type = resourceTypeOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '' } });
    const body = { data: { 'answerers.users': 'alice' } };
    await cluster.admin.patch(type, { namespace: 'team', name: 'tiny-settings' }, { type: 'merge', body });
    expect((await cluster.tiny(['init', 'team'])).out).toContain('0 to create, 0 to change');
    expect(await settings()).toMatchObject({ data: { 'answerers.users': 'alice' } });
  });

  it('init leaves another Pod Security level, and says so', async () => {
    const open = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'open', labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
    };
    await cluster.admin.create(resourceTypeOf(open), open);
    const { code, err } = await cluster.tiny(['init', 'open', '--minimal']);
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('level "baseline", which stays') });
    expect((await cluster.read('v1', 'Namespace', { name: 'open' }))?.metadata.labels).toMatchObject(
      open.metadata.labels,
    );
    const at = { name: 'tiny-function-session', namespace: 'open' };
    expect(await cluster.read('rbac.authorization.k8s.io/v1', 'RoleBinding', at)).toBeUndefined();
  });

  it('init names the rights that are missing', async () => {
    const { code, err } = await cluster.tiny(['init', 'other'], { who: 'alice' });
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('you may not prepare namespace other'),
    });
  });

  it.each([['Team'], ['-x'], ['a'.repeat(64)]])('init takes no namespace called %s', async (name) => {
    expect((await cluster.tiny(['init', '--', name])).code).toBe(2);
  });

  it('a quota of Sessions is for whoever asks for one', async () => {
    const { err, code } = await cluster.tiny(['init', 'team', '--max-sessions', 'many']);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('whole number') });
  });

  it('doctor finds nothing wrong in a prepared project, and all in one that is not', async () => {
    expect(await cluster.tiny(['doctor'])).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('Nothing is wrong'),
    });
    const { code, out } = await cluster.tiny(['doctor', '-n', 'elsewhere']);
    expect(code).toBe(1);
    expect(out).toContain('Do: tiny init elsewhere');
  });

  it('doctor tells a machine, of all projects: one in which no function may act is not prepared', async () => {
    const { out, code } = await cluster.tiny(['doctor', '-A', '-o', 'json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject([{ reason: 'ProjectNotPrepared', namespace: 'open' }]);
  });

  it('doctor says what it could not look at', async () => {
    const { code, out, err } = await cluster.tiny(['doctor'], { who: 'alice' });
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('in what you may see') });
    expect(out).toContain('do not reach to look at');
  });

  it.each(['install', 'init', 'doctor'])('%s has help with examples', async (name) => {
    expect((await cluster.tiny(['help', name])).out).toMatch(/Examples:\n {2}tiny /);
  });
});

describe('tiny uninstall', () => {
  let cluster: Cluster;
  const session = {
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Session',
    metadata: { name: 's', namespace: 'team' },
    spec: { prompt: 'p' },
  };
  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.tiny(['install', '-y']);
    await cluster.tiny(['init', 'team']);
  });
  afterAll(() => cluster.close());
  const isThere = (apiVersion: string, kind: string, name: string, namespace?: string) =>
    cluster.read(apiVersion, kind, { name, ...(namespace && { namespace }) }).then((found) => found !== undefined);

  it('shows what would go, and a dry run removes nothing', async () => {
    const { code, out } = await cluster.tiny(['uninstall', '--dry-run']);
    expect(code).toBe(0);
    expect(out).toMatch(/^ACTION +KIND +NAME +NAMESPACE\nremove +Trigger/);
    expect(out).toMatch(/remove +Service +dead-letters/);
    expect(out).not.toContain('CustomResourceDefinition');
    expect(await isThere('v1', 'Namespace', 'tiny-system')).toBe(true);
  });

  it('asks, names missing rights, and does nothing until it may', async () => {
    expect(await cluster.tiny(['uninstall'])).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect(await cluster.tiny(['uninstall'], { typed: 'n\n' })).toMatchObject({ code: 1 });
    expect(await cluster.tiny(['uninstall', '-y'], { who: 'alice' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('alice'),
    });
    expect(await isThere('v1', 'Namespace', 'tiny-system')).toBe(true);
  });

  it('takes nothing from under a Session, unless by force', async () => {
    await cluster.admin.create(resourceTypeOf(session), session);
    expect(await cluster.tiny(['uninstall', '-y'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('there is 1 Session (team/s)'),
    });
    const forced = await cluster.tiny(['uninstall', '--dry-run', '--force']);
    expect(forced).toMatchObject({ code: 0, err: expect.stringContaining('their pods run on') });
    await cluster.admin.delete(resourceTypeOf(session), session.metadata);
  });

  it("removes what was installed, and leaves a project's own", async () => {
    const { code, err } = await cluster.tiny(['uninstall', '-y']);
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('the resources stay') });
    expect(await isThere('v1', 'Namespace', 'tiny-system')).toBe(false);
    expect(await isThere('v1', 'ServiceAccount', 'tiny-agent', 'team')).toBe(false);
    expect(await isThere('rbac.authorization.k8s.io/v1', 'ClusterRole', 'tiny-user')).toBe(false);
    expect(await isThere('v1', 'Namespace', 'team')).toBe(true);
    expect(await isThere('v1', 'ConfigMap', 'tiny-settings', 'team')).toBe(true);
    expect(await isThere('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'sessions.tiny.dev')).toBe(true);
    const again = await cluster.tiny(['uninstall', '-y']);
    expect(again).toMatchObject({ code: 0, err: expect.stringContaining('--crds removes them') });
  });
});

describe('what of a cluster is an installation', () => {
  const labels = { 'app.kubernetes.io/part-of': 'tiny' };
  const object = (apiVersion: string, kind: string, name: string, namespace?: string) => ({
    apiVersion,
    kind,
    metadata: { name, labels, uid: name, ...(namespace && { namespace }) },
  });
  const holding = (objects: KubeObject[]) =>
    ({
      list: async ({ kind }: { kind: string }) => {
        if (kind === 'PingSource') throw new ApiError(404, { message: 'no such kind' });
        return { items: objects.filter((one) => one.kind === kind) };
      },
    }) as unknown as Client;

  it('is what an install or an init made, in the order in which it goes, and never a project or its services', async () => {
    const found = await findInstallation(
      holding([
        object('v1', 'Namespace', 'tiny-system'),
        object('v1', 'Namespace', 'team'),
        object('serving.knative.dev/v1', 'Service', 'assistant', 'team'),
        object('serving.knative.dev/v1', 'Service', 'session', 'tiny-system'),
        object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'tiny-agents', 'team'),
        object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'sessions.tiny.dev'),
        object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'tiny-spawn'),
      ]),
      true,
    );
    expect(found.map(({ part, objects }) => [part, ...objects.map(({ metadata }) => metadata.name)])).toEqual([
      ['Functions', 'session'],
      ['Rights', 'tiny-agents'],
      ['Resources', 'sessions.tiny.dev'],
      ['Admission policies', 'tiny-spawn'],
      ['Namespace', 'tiny-system'],
    ]);
  });
});
