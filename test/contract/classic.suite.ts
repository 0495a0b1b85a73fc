/**
 * The whole way on a cluster before 1.36, as somebody goes it: `tiny install --impersonate`, `tiny init`, and people at
 * work. The functions act for whom the installer named, and for nobody else.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../lib/api/meta.ts';
import { applyAll } from '../../lib/install/apply.ts';
import { CLAIMS, DEPLOYMENTS, QUESTIONS, SECRETS, SESSIONS } from '../../lib/kube/types.ts';
import { knativeKinds } from '../../local/engine/knative-kinds.ts';
import { engineBinaries } from '../support/engine.ts';
import { tiny } from './command.ts';
import { NAMESPACES, refusal, session, spawning, told, until } from './objects.ts';
import { mayDo, type Name, PEOPLE, startWorld, type World } from './world.ts';

const NAMESPACE = 'classic';
/** Whose requests carry an attribute by which they are limited. */
const EVE = { username: 'eve', groups: ['team'], extra: { 'example.com/scopes': ['read'] } } satisfies Person;

describe.skipIf(!engineBinaries)('an installation before Kubernetes 1.36', () => {
  let world: World;
  const as = (name: Name, argv: string[]) => tiny(world.engine, world.as(name), ['-n', NAMESPACE, ...argv]);
  const admin = (argv: string[], files: Record<string, string> = {}) => tiny(world.engine, world.admin, argv, files);
  const install = ['install', '--yes', '--impersonate', 'carol', '--impersonate-group', 'readers,second,third'];
  const materialised = (name: string) => told(world.admin, session(NAMESPACE, name), 'Materialised');
  const run = async (name: string) => {
    await world.runSession(NAMESPACE, name);
    return await materialised(name);
  };

  beforeAll(async () => {
    const serverArguments = ['--emulation-forward-compatible=false'];
    world = await startWorld({ emulatedVersion: '1.35', serverArguments, controllers: true });
    await applyAll(world.admin, knativeKinds(), { wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) });
  });
  afterAll(() => world?.engine.stop());

  test('is carried out to its end, says what this cluster has not, and is the same a second time', async () => {
    const files = { 'people.json': JSON.stringify([PEOPLE.alice, EVE]) };
    const said = await admin([...install, '--impersonate-file', 'people.json'], files);
    expect(said).toMatchObject({ code: 0 });
    expect(said.err).toContain('no MutatingAdmissionPolicy (1.36) either');
    expect(said.err).toContain('Named people: 2 objects applied.');
    expect(said.err).toContain('Policies: in force.');
    expect(said.err).toMatch(/Functions and eventing: \d+ objects applied\./);
    const again = await admin([...install, '--impersonate-file', 'people.json'], files);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('0 to create, 0 to change') });
    await world.install([]);
    expect(await admin(['init', NAMESPACE])).toMatchObject({ code: 0 });
  });

  test.each<Name>(['alice', 'carol'])("makes %s's Session as them, and an answer's child", async (name) => {
    expect(await as(name, ['new', 'Do it.', '--name', name, '--agent', 'rehearsal'])).toMatchObject({ code: 0 });
    const right = { verb: 'impersonate', group: '', resource: 'users', name };
    await mayDo(world.admin, 'system:serviceaccount:tiny-system:session', right);
    await until(async () => (await run(name)).status === 'True');
    expect(await world.admin.get(DEPLOYMENTS, { namespace: NAMESPACE, name })).toBeDefined();
    const asked = await world.ask(NAMESPACE, name, { spec: spawning(`${name}-child`) });
    expect(await as(name, ['answer', asked.metadata.name, 'allow', '--yes'])).toMatchObject({ code: 0 });
    expect(await world.runQuestion(NAMESPACE, asked.metadata.name)).toMatchObject({ kind: 'done' });
    const child = await world.admin.get(SESSIONS, { namespace: NAMESPACE, name: `${name}-child` });
    expect(child?.spec.requester?.username).toBe(name);
    expect(await run(`${name}-child`)).toMatchObject({ status: 'True' });
    const { spec } = (await world.admin.get(QUESTIONS, asked.metadata)) ?? {};
    expect(spec?.answer?.by?.username).toBe(name);
  });

  test('makes the Session of somebody who is limited as limited as they are', async () => {
    const eve = world.admin.as(EVE);
    await eve.create(SESSIONS, session(NAMESPACE, 'eve', { requester: EVE }));
    expect(await run('eve')).toMatchObject({ status: 'True' });
    const made = world.audit().filter(({ objectRef, verb }) => objectRef?.name === 'eve' && verb === 'create');
    const deployments = made.filter(({ objectRef }) => objectRef?.resource === 'deployments');
    expect(deployments.map(({ impersonatedUser }) => impersonatedUser?.extra)).toEqual([EVE.extra]);
  });

  test('makes nothing for whom nobody named, and says so on the Session', async () => {
    expect(await as('bob', ['new', 'Do it.', '--name', 'bob', '--agent', 'rehearsal'])).toMatchObject({ code: 0 });
    const { status, reason, message } = await run('bob');
    expect([status, reason]).toEqual(['False', 'Forbidden']);
    expect(message).toContain('cannot impersonate resource "users"');
    for (const type of [CLAIMS, DEPLOYMENTS])
      expect(await world.admin.get(type, { namespace: NAMESPACE, name: 'bob' })).toBeUndefined();
  });

  test('lets no function carry a group, an attribute or a right of its own that nobody named', async () => {
    const fn = world.functionClient('session');
    const at = { namespace: NAMESPACE, name: 'alice' };
    expect((await fn.as(PEOPLE.alice).get(DEPLOYMENTS, at))?.metadata.name).toBe('alice');
    for (const person of [
      { ...PEOPLE.alice, groups: ['owners'] },
      { ...PEOPLE.alice, uid: 'u-bob' },
      { ...EVE, extra: { 'example.com/scopes': ['write'] } },
      { username: `system:serviceaccount:${NAMESPACE}:tiny-agent` },
    ])
      expect((await refusal(fn.as(person).get(DEPLOYMENTS, at))).code).toBe(403);
    expect((await refusal(fn.list(SECRETS, { namespace: NAMESPACE }))).code).toBe(403);
    expect((await refusal(fn.get(DEPLOYMENTS, at))).code).toBe(403);
  });

  test('installed again without names acts for nobody any more', async () => {
    const said = await admin(['install', '--yes']);
    expect(said).toMatchObject({
      code: 0,
      out: expect.stringMatching(/change +ClusterRole +tiny-impersonate .*rules/),
    });
    const at = { namespace: NAMESPACE, name: 'alice' };
    const attempt = () =>
      refusal(world.functionClient('session').as(PEOPLE.alice).get(DEPLOYMENTS, at)).catch(() => undefined);
    expect((await until(attempt)).code).toBe(403);
    expect(await admin(['install', '--yes'])).toMatchObject({
      out: expect.stringContaining('0 to create, 0 to change'),
    });
  });

  test('is taken out whole, in an order in which nothing acts without policies, and not from under Sessions', async () => {
    const refused = await admin(['uninstall', '--yes']);
    expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/there are \d+ Sessions \(classic\//) });
    const may = await as('alice', ['uninstall', '--crds', '--force', '--yes']);
    expect(may).toMatchObject({ code: 1, err: expect.stringContaining('you are alice and may not list') });
    const { code, err } = await admin(['uninstall', '--crds', '--force', '--yes']);
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('Uninstalled.') });
    expect(err.match(/^[\w ]+(?=: \d+ objects removed)/gm)).toEqual([
      'Eventing',
      'Functions',
      'Rights',
      'Resources',
      'Admission policies',
      'Namespace',
    ]);
    expect(await admin(['uninstall', '--crds'])).toMatchObject({ code: 0, err: 'Nothing of tiny is here.\n' });
    expect(await world.admin.get(NAMESPACES, { name: NAMESPACE })).toBeDefined();
    expect(await world.admin.get(NAMESPACES, { name: 'tiny-system' })).toBeUndefined();
    await expect(world.admin.list(SESSIONS)).rejects.toMatchObject({ code: 404 });
    const anew = await admin(['install', '--dry-run']);
    expect(anew).toMatchObject({ code: 0, out: expect.stringContaining('0 to change, 0 unchanged') });
  });
});
