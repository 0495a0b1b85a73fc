/** The commands of whoever installs, on a cluster that has all: where policies stamp, and roles are constrained. */
import { describe, expect, test } from 'vitest';
import { tiny } from './command.ts';
import type { World } from './world.ts';

export function installCases(world: () => World): void {
  const admin = (...argv: string[]) => tiny(world().engine, world().admin, argv);

  describe('on a cluster that has all', () => {
    test('tiny doctor sees what was taken out; tiny install puts it back, and takes back what it does not name', async () => {
      expect(await admin('init', 'installed')).toMatchObject({ code: 0 });
      const binding = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/tiny-answered';
      await world().admin.request('DELETE', binding);
      expect(await admin('doctor', '-n', 'installed')).toMatchObject({
        code: 1,
        out: expect.stringContaining('ValidatingAdmissionPolicyBinding tiny-answered is not there'),
      });
      const { code, out, err } = await admin('install', '--yes');
      expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('Policies: in force.') });
      expect(out).toMatch(/create +ValidatingAdmissionPolicyBinding +tiny-answered/);
      expect(out).toMatch(/change +ClusterRole +tiny-apply-kinds/);
      expect(await admin('doctor', '-n', 'installed')).toMatchObject({ code: 0, out: '' });
      const again = await admin('install', '--dry-run');
      expect(again).toMatchObject({ code: 0, out: expect.stringContaining('0 to create, 0 to change') });
    });
  });
}
