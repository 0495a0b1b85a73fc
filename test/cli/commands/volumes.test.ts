import { describe, expect, it } from 'vitest';
import { CLAIMS, SESSIONS } from '../../../lib/kube/types.ts';
import { makeHarness, session } from '../harness.ts';

const SAID = { requester: 'alice', agent: { name: 'rehearsal' }, repository: { url: 'https://example.com/a' } };

const claim = (name: string, more: object = {}) =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace: 'demo',
      labels: { 'app.kubernetes.io/managed-by': 'tiny', 'tiny.dev/session-uid': `was-${name}` },
      annotations: { 'tiny.dev/retained': JSON.stringify(SAID) },
      ...more,
    },
    status: { capacity: { storage: '10Gi' } },
  }) as never;

function world() {
  const harness = makeHarness();
  const { fake } = harness;
  fake.put(CLAIMS, claim('left'));
  fake.put(CLAIMS, claim('owned', { ownerReferences: [{ uid: 'u' }] }));
  const there = (name: string) => fake.read(CLAIMS, { namespace: 'demo', name }) !== undefined;
  return { ...harness, there };
}

describe('tiny volumes', () => {
  it('lists what has outlived its Session, with whose it was', async () => {
    const { tiny } = world();
    const { out, code } = await tiny(['volumes']);
    expect(code).toBe(0);
    expect(out).toMatch(/^left +10Gi +\S+ +alice +rehearsal +https:\/\/example\.com\/a$/m);
    expect(out).not.toContain('owned');
    expect(JSON.parse((await tiny(['volumes', '-o', 'json'])).out)).toMatchObject({
      items: [{ kind: 'PersistentVolumeClaim', metadata: { name: 'left' } }],
    });
  });

  it('says that there is none', async () =>
    expect((await makeHarness().tiny(['volumes', 'ls'])).err).toContain('No volume has outlived its Session'));

  it('deletes the one that is named, and asks before', async () => {
    const { tiny, there } = world();
    expect(await tiny(['volumes', 'rm', 'left'])).toMatchObject({ code: 2 });
    expect(there('left')).toBe(true);
    expect(await tiny(['volumes', 'rm', 'left', '--yes'])).toMatchObject({
      code: 0,
      out: 'persistentvolumeclaim/left deleted\n',
    });
    expect(there('left')).toBe(false);
  });

  it('deletes none whose Session is there', async () => {
    const { tiny, there, fake } = world();
    const { metadata } = session('left');
    fake.put(SESSIONS, { ...session('left'), metadata: { ...metadata, uid: 'was-left' } } as never);
    for (const name of ['left', 'owned', 'none']) {
      const { code, err } = await tiny(['volumes', 'rm', name, '--yes']);
      expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('whose Session is gone') });
    }
    expect(there('left') && there('owned')).toBe(true);
  });
});
