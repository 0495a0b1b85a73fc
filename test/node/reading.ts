/** What a Session said is read on a real node while it sleeps, and others go on from it: by pods of a person's own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { isTrue } from '../../lib/api/conditions.ts';
import { NETWORK_POLICIES, PODS, SESSIONS } from '../../lib/kube/types.ts';
import { tiny } from '../contract/command.ts';
import { session } from '../contract/objects.ts';
import { type Cluster, PROJECT } from './cluster/cluster.ts';
import { until } from './cluster/until.ts';

/** The tests; `cluster` runs by the time that they do. */
export function testReading(cluster: () => Cluster): void {
  const as = (name: 'alice' | 'carol', ...argv: string[]) =>
    tiny({ url: '', send: cluster().sendAs(name) }, cluster().as(name), ['-n', PROJECT, ...argv]);
  const ref = (name: string) => ({ namespace: PROJECT, name });
  const finished = (name: string) =>
    until(`the end of ${name}`, async () => {
      const found = await cluster().admin.get(SESSIONS, ref(name));
      return found && isTrue(found, 'Finished') && isTrue(found, 'Suspended');
    });
  const noPods = () =>
    until('no pod', async () => (await cluster().admin.list(PODS, { namespace: PROJECT })).items.length === 0);
  const folder = mkdtempSync(join(tmpdir(), 'tiny-read-'));
  const archive = join(folder, 'told.tar.gz');
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is told by its pod while it has one, and by one that reads the volume while it has none', async () => {
    const prompt = stringify([
      { say: 'Here I am.' },
      { edit: { file: 'kept.md', text: 'kept' } },
      { commit: 'Keep it' },
    ]);
    const spec = { prompt, repository: { url: cluster().repository.url }, storage: { size: '64Mi' } };
    await cluster()
      .as('alice')
      .create(SESSIONS, session(PROJECT, 'told', spec));
    const followed = await as('alice', 'logs', 'told', '-f');
    expect(followed.out, followed.err).toContain('Here I am.');
    expect(followed.out).toContain('= Completed: ');
    await finished('told');
    await noPods();
    const read = await as('alice', 'logs', 'told');
    expect(read, read.err).toMatchObject({ code: 0, err: expect.stringContaining('one is made to read its volume') });
    expect(read.out.replaceAll(/^- told runs.*$/gm, '')).toBe(followed.out.replaceAll(/^- told runs.*$/gm, ''));
    await noPods();
  });

  test('is not told to whoever may only look', async () => {
    expect(await as('carol', 'logs', 'told')).toMatchObject({ code: 1, err: expect.stringContaining('may not') });
    await noPods();
  });

  test('goes on in another Session, from its archive through the pod’s input, and from its volume', async () => {
    const exported = await as('alice', 'export', 'told', archive);
    expect(exported.code, exported.err).toBe(0);
    for (const [from, name] of [
      [archive, 'from-archive'],
      ['told', 'from-volume'],
    ] as const) {
      const made = await as(
        'alice',
        'new',
        '--from',
        from,
        '--name',
        name,
        '--storage',
        '64Mi',
        '--',
        '[{run: cat kept.md}]',
      );
      expect(made.code, made.err).toBe(0);
      await finished(name);
      const said = await as('alice', 'logs', name, '--full');
      for (const part of ['Here I am.', '- goes on from Session told', '  | kept']) expect(said.out).toContain(part);
    }
    await noPods();
  });

  test('leaves behind only the policy that keeps readers from the network', async () => {
    const { admin } = cluster();
    for (const name of ['told', 'from-archive', 'from-volume']) await cluster().as('alice').delete(SESSIONS, ref(name));
    const policies = () => admin.list(NETWORK_POLICIES, { namespace: PROJECT });
    const names = async () => (await policies()).items.map(({ metadata }) => metadata.name);
    await until('no other policy', async () => !(await names()).some((name) => /^(told|from-.*)$/.test(name)));
    expect(await names()).toContain('tiny-readers');
    await admin.delete(NETWORK_POLICIES, ref('tiny-readers'));
  });
}
