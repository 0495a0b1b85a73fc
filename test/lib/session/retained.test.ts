import { describe, expect, test } from 'vitest';
import { makeClaim } from '../../../lib/session/make-claim.ts';
import { memoryOf, outlived } from '../../../lib/session/retained.ts';
import { makeSession } from '../../support/objects.ts';

const kept = (name: string) =>
  makeSession({
    metadata: { name },
    spec: {
      agent: { name: 'rehearsal', model: 'm' },
      repository: { url: 'https://example.com/a', ref: 'main', credentialsSecret: 'git' },
      storage: { size: '1Gi', accessMode: 'ReadWriteOnce', retain: true },
    },
  });

test('a claim that is kept says whose it was and what it worked on, and names no Secret', () => {
  expect(memoryOf(makeClaim(kept('a')))).toEqual({
    requester: 'alice',
    agent: { name: 'rehearsal', model: 'm' },
    repository: { url: 'https://example.com/a', ref: 'main' },
  });
});

describe('what a claim says that somebody wrote by hand', () => {
  test.each(['', 'no JSON', '{}', '{"agent":{"name":7}}'])('%j is nothing', (said) =>
    expect(
      memoryOf({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'a', annotations: { 'tiny.dev/retained': said } },
      }),
    ).toBeUndefined(),
  );
});

test('a claim has outlived its Session when no Session of that uid is there, whatever its name', () => {
  const [a, b] = [kept('a'), kept('b')];
  const another = { ...b, metadata: { ...b.metadata, uid: 'new' } };
  const owned = makeClaim(makeSession({ metadata: { name: 'c' } }));
  const claims = [makeClaim(a), makeClaim(b), owned];
  expect(outlived(claims, [a, another]).map(({ metadata }) => metadata.name)).toEqual(['b']);
});
