/** The settings of the project, as they are there. */
import type { Stored } from '../../lib/api/meta.ts';
import { settingsOf } from '../../lib/api/settings-ref.ts';
import { changedBy, makeSettings } from '../../lib/install/settings.ts';
import { isAlreadyExists } from '../../lib/kube/errors.ts';
import { CONFIG_MAPS, type ConfigMap } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import { whoAmI } from '../identity.ts';

/** What is set; nothing where the project has no settings yet. */
export async function readSettings(app: App): Promise<Record<string, string>> {
  const { client, namespace } = await app.cluster();
  return (await client.get(CONFIG_MAPS, settingsOf(namespace)))?.data ?? {};
}

/** Sets the keys that have a value, and takes the others away; what somebody else sets meanwhile stays. */
export async function changeSettings(
  app: App,
  change: Readonly<Record<string, string | null>>,
): Promise<Stored<ConfigMap>> {
  const { client, namespace } = await app.cluster();
  const person = await whoAmI(client);
  const ref = settingsOf(namespace);
  if (!(await client.get(CONFIG_MAPS, ref))) {
    await client.create(CONFIG_MAPS, makeSettings(namespace, person) as ConfigMap).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
  // Where admission stamps nobody, whoever changes the settings says so; elsewhere this is overwritten.
  const annotations = person && { 'tiny.dev/changed-by': changedBy(person) };
  const body = { ...(annotations && { metadata: { annotations } }), data: change };
  return await client.patch(CONFIG_MAPS, ref, { type: 'merge', body });
}
