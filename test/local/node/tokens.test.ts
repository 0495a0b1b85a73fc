import { expect, test } from 'vitest';
import type { Client } from '../../../lib/kube/types.ts';
import { makeTokens } from '../../../local/node/tokens.ts';
import { pod } from '../support/objects.ts';

test('a token is kept for 80 % of its life, bound to its pod, one a lifetime', async () => {
  let now = 0;
  const asked: { path: string; body: { spec: object } }[] = [];
  const request = async (_: string, path: string, body: { spec: { expirationSeconds: number } }) => {
    asked.push({ path, body });
    const expires = new Date(now + body.spec.expirationSeconds * 1000);
    return { status: { token: `token ${asked.length}`, expirationTimestamp: expires.toISOString() } };
  };
  const mine = { ...pod('p', {}), metadata: { name: 'p', namespace: 'team-a', uid: 'u' } };
  const world = {
    client: { request } as unknown as Client,
    now: () => new Date(now),
    random: () => 0,
    log: () => undefined,
  };
  const token = makeTokens(world, mine, true);
  expect(await token(600)).toBe('token 1');
  now = 479_000;
  expect(await token(600)).toBe('token 1');
  expect(await token(900)).toBe('token 2');
  now = 481_000;
  expect(await token(600)).toBe('token 3');
  expect(asked[0]).toMatchObject({
    path: '/api/v1/namespaces/team-a/serviceaccounts/default/token',
    body: { spec: { audiences: [], boundObjectRef: { kind: 'Pod', name: 'p', uid: 'u' } } },
  });
});
