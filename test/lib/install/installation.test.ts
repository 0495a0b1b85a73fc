import { expect, test } from 'vitest';
import { resourceTypeOf } from '../../../lib/install/apply.ts';
import { installedRegistry, makeInstallation } from '../../../lib/install/installation.ts';
import { apiError, MemoryServer } from '../../support/memory-client.ts';

const kept = async (registry: string | undefined) => {
  const server = new MemoryServer();
  const client = server.client('tiny');
  const object = makeInstallation(registry);
  await client.apply(resourceTypeOf(object), object);
  return installedRegistry(client);
};

test('where images are is read as it was written', async () => {
  expect(await kept('registry.example/team')).toBe('registry.example/team');
  expect(await kept(undefined)).toBeUndefined();
});

test('who finds none, or may not look, takes the images as they are named', async () => {
  expect(await installedRegistry(new MemoryServer().client('tiny'))).toBeUndefined();
  const failing = (code: number) =>
    new MemoryServer({
      before: () => {
        throw apiError(code, 'X', 'no');
      },
    }).client('tiny');
  expect(await installedRegistry(failing(403))).toBeUndefined();
  await expect(installedRegistry(failing(500))).rejects.toMatchObject({ code: 500 });
});
