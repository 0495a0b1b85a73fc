/** What the files of Secret and projected volumes hold. An error says what is missing, in the kubelet's words. */
import type { V1DownwardAPIVolumeFile, V1Volume, V1VolumeProjection } from '@kubernetes/client-node';
import type { Client, ResourceType } from '../../lib/kube/types.ts';
import { CONFIG_MAPS, type Data, type Pod, SECRETS } from './pod.ts';

/** Path in the volume to content. */
export type Files = Map<string, Buffer>;

/** What a pod's files and environment are made from. */
export interface Reader {
  client: Client;
  pod: Pod;
  /** A token of the pod's service account, or one kept from before where it is still good for a while. */
  token: (seconds?: number) => Promise<string>;
}

/** Key to content of a Secret or ConfigMap. Throws where there is none. */
export async function dataOf({ client, pod }: Reader, type: ResourceType<Data>, name = ''): Promise<Files> {
  const object = await client.get(type, { namespace: pod.metadata.namespace ?? '', name });
  if (!object) throw new Error(`${type.kind.toLowerCase()} "${name}" not found`);
  const encoding = type.kind === 'Secret' ? 'base64' : 'utf8';
  return new Map(Object.entries(object.data ?? {}).map(([key, value]) => [key, Buffer.from(value, encoding)]));
}

function fieldFile({ metadata }: Pod, { path, fieldRef }: V1DownwardAPIVolumeFile): [string, Buffer] {
  const { name, namespace = '', uid } = metadata;
  const fields: Record<string, string> = { name, namespace, uid };
  const value = fields[fieldRef?.fieldPath.replace('metadata.', '') ?? ''];
  if (value === undefined) throw new Error(`the stand-in has no field ${fieldRef?.fieldPath}`);
  return [path, Buffer.from(value)];
}

async function sourceFiles(reader: Reader, source: V1VolumeProjection): Promise<Iterable<[string, Buffer]>> {
  const { configMap, downwardAPI, secret, serviceAccountToken: token } = source;
  if (token) return [[token.path, Buffer.from(await reader.token(token.expirationSeconds))]];
  if (downwardAPI) return (downwardAPI.items ?? []).map((item) => fieldFile(reader.pod, item));
  if (secret) return dataOf(reader, SECRETS, secret.name);
  if (!configMap) throw new Error(`the stand-in does not project ${Object.keys(source)}`);
  const data = await dataOf(reader, CONFIG_MAPS, configMap.name);
  return (configMap.items ?? []).map(({ key, path }) => {
    const content = data.get(key);
    if (!content) throw new Error(`references non-existent config key: ${key}`);
    return [path, content];
  });
}

/** What a volume takes of a Secret or ConfigMap. */
interface Taking {
  name: string | undefined;
  items?: { key: string; path: string }[] | undefined;
  optional?: boolean | undefined;
}

/** All of it, or the keys that are named; what is optional may be missing, whole or in part. */
async function taken(reader: Reader, type: ResourceType<Data>, { name, items, optional }: Taking): Promise<Files> {
  const { namespace = '' } = reader.pod.metadata;
  if (optional && !(await reader.client.get(type, { namespace, name: name ?? '' }))) return new Map();
  const data = await dataOf(reader, type, name);
  if (!items) return data;
  return new Map(
    items.flatMap(({ key, path }): [string, Buffer][] => {
      const content = data.get(key);
      if (!content && !optional) throw new Error(`references non-existent key: ${key}`);
      return content ? [[path, content]] : [];
    }),
  );
}

/** The files of a volume that Kubernetes fills, or `undefined` for one that the containers fill. */
export async function filesOf(reader: Reader, volume: V1Volume): Promise<Files | undefined> {
  const { name, secret, configMap, projected, emptyDir } = volume;
  if (emptyDir) return undefined;
  if (secret) return taken(reader, SECRETS, { ...secret, name: secret.secretName });
  if (configMap) return taken(reader, CONFIG_MAPS, { ...configMap, name: configMap.name });
  if (!projected)
    throw new Error(`volume "${name}": the stand-in has claim, emptyDir, secret, configMap and projected volumes`);
  const files: Files = new Map();
  for (const source of projected.sources ?? [])
    for (const [path, content] of await sourceFiles(reader, source)) files.set(path, content);
  return files;
}
