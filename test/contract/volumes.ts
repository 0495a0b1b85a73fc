/** A volume that outlives its Session: the claim that stays, what the command tells of it, and who may end it. */
import { describe, expect, test } from 'vitest';
import { CLAIMS, type Client, SESSIONS } from '../../lib/kube/types.ts';
import { tiny } from './command.ts';
import { session } from './objects.ts';
import type { World } from './world.ts';

export function volumesCases(world: () => World): void {
  describe('a volume that is retained', () => {
    test('stays when its Session goes, says whose it was, and is deleted by who may', async () => {
      const ns = await world().project('retained');
      const alice = world().as('alice');
      const run = (client: Client, ...argv: string[]) => tiny(world().engine, client, ['volumes', ...argv, '-n', ns]);
      await alice.create(SESSIONS, session(ns, 'a', { suspend: true, storage: { retain: true } }));
      await alice.create(SESSIONS, session(ns, 'b', { suspend: true }));
      for (const name of ['a', 'b']) await world().runSession(ns, name);
      expect((await run(alice)).err).toContain('No volume has outlived its Session');
      for (const name of ['a', 'b']) await alice.delete(SESSIONS, { namespace: ns, name });
      const claims = async () =>
        (await world().admin.list(CLAIMS, { namespace: ns })).items.map(({ metadata }) => metadata.name);
      await expect.poll(claims, { timeout: 20_000 }).toEqual(['a']);
      expect((await run(alice)).out).toMatch(/^a +10Gi +\S+ +alice /m);
      expect(await run(alice, 'rm', 'a', '--yes')).toMatchObject({
        code: 1,
        err: expect.stringContaining('"delete" on "persistentvolumeclaims"'),
      });
      expect(await run(world().admin, 'rm', 'a', '--yes')).toMatchObject({ code: 0 });
      await expect.poll(claims).toEqual([]);
    });
  });
}
