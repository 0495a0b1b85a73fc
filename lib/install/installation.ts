/**
 * What of an installation others have to know: ConfigMap `tiny-installation`, which everyone who is authenticated may
 * read (rbac/base/installation.yaml). `tiny` asks it where images are when it makes a Session's objects itself.
 */
import { isForbidden, isNotFound } from '../kube/errors.ts';
import { type Client, CONFIG_MAPS, type ConfigMap } from '../kube/types.ts';

const NAME = 'tiny-installation';
const NAMESPACE = 'tiny-system';

export const makeInstallation = (registry: string | undefined): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: NAME, namespace: NAMESPACE, labels: { 'app.kubernetes.io/part-of': 'tiny' } },
  data: { ...(registry && { registry }) },
});

/** Where tiny's images are; `undefined` where nobody said, or whoever asks may not know. */
export async function installedRegistry(client: Client): Promise<string | undefined> {
  try {
    return (await client.get(CONFIG_MAPS, { name: NAME, namespace: NAMESPACE }))?.data?.registry;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  }
}
