import { expect, test } from 'vitest';
import { applyKinds } from '../../../cli/install/apply-kinds.ts';
import type { KubeObject } from '../../../lib/api/meta.ts';
import { makeApplyKinds } from '../../../lib/install/apply-kinds.ts';
import { ApiError } from '../../../lib/kube/errors.ts';
import type { Client } from '../../../lib/kube/types.ts';

const FORBIDDEN = { kind: 'Status', reason: 'Forbidden', code: 403, message: 'no' };

/** A cluster with that role, or without. */
const having = (role: KubeObject | undefined) => ({ get: async () => role }) as unknown as Client;

test('kinds that an earlier installation allowed, and this one does not name, are allowed no more', async () => {
  const before = makeApplyKinds([{ group: 'apps', plural: 'deployments' }]);
  expect(await applyKinds(having(before))).toMatchObject([{ metadata: { name: 'tiny-apply-kinds' }, rules: [] }]);
});

test('where none were allowed nothing is written', async () => {
  expect(await applyKinds(having(undefined))).toEqual([]);
});

test('whoever may not look is told so where they may not write either', async () => {
  const client = { get: () => Promise.reject(new ApiError(403, FORBIDDEN as never)) } as unknown as Client;
  expect(await applyKinds(client)).toEqual([]);
});
