/** Waiting for admission policies. */
import { expect, test } from 'vitest';
import { policiesInForce } from '../../../lib/install/in-force.ts';
import { ApiError } from '../../../lib/kube/errors.ts';
import type { Client } from '../../../lib/kube/types.ts';

function asked(codes: number[]) {
  const paths: string[] = [];
  const request = async (_: string, path: string) => {
    paths.push(path);
    const code = codes.shift() ?? 201;
    if (code >= 400) throw new ApiError(code, { message: `answered ${code}` });
  };
  return { client: { request } as unknown as Client, paths };
}
const wait = async () => undefined;

test('waits while the API server does not know the kind of a policy', async () => {
  const { client, paths } = asked([503, 503, 201]);
  await policiesInForce(client, 'demo', { wait });
  expect(paths).toEqual(Array(3).fill('/apis/tiny.dev/v1alpha1/namespaces/demo/sessions?dryRun=All'));
});

test('a refusal is a policy in force', async () => {
  const { client, paths } = asked([422]);
  await policiesInForce(client, 'demo', { wait });
  expect(paths).toHaveLength(1);
});

test('does not wait for ever', async () => {
  const { client } = asked(Array(10).fill(503));
  await expect(policiesInForce(client, 'demo', { wait, patience: 1000 })).rejects.toMatchObject({ code: 503 });
});
