/** What the files of Secret, ConfigMap, downward API and projected volumes hold, and the fields a pod can name. */
import type { V1KeyToPath, V1Volume, V1VolumeProjection } from '@kubernetes/client-node';
import type { Client, ResourceType } from '../../lib/kube/types.ts';
import { CONFIG_MAPS, type Data, type Pod, SECRETS } from './pod.ts';

/** Why a container cannot start yet, in the kubelet's words; it is tried again. */
export class Waiting extends Error {
  override name = 'Waiting';
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Path in the volume to content. */
export type Files = Map<string, Buffer>;
/** A token, or one kept from before where it is still good for a while. */
export type Tokens = (audience?: string, seconds?: number) => Promise<string>;
export interface Reader {
  client: Client;
  pod: Pod;
  tokens: Tokens;
}

/** A field by the downward API's path, `metadata.labels['app']` included. */
export function fieldOf(pod: Pod, path: string): string {
  const [, map, key] = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path) ?? [];
  if (key !== undefined) return pod.metadata[map as 'labels' | 'annotations']?.[key] ?? '';
  const fixed: Record<string, string | undefined> = {
    'metadata.name': pod.metadata.name,
    'metadata.namespace': pod.metadata.namespace,
    'metadata.uid': pod.metadata.uid,
    'spec.nodeName': pod.spec.nodeName,
    'spec.serviceAccountName': pod.spec.serviceAccountName ?? 'default',
    'status.podIP': '127.0.0.1',
    'status.hostIP': '127.0.0.1',
  };
  const value = fixed[path];
  if (value === undefined) throw new Waiting('CreateContainerConfigError', `unsupported fieldPath: ${path}`);
  return value;
}

/** Key to content of a Secret or ConfigMap; `undefined` where there is none. */
export async function dataOf(
  { client, pod }: Reader,
  type: ResourceType<Data>,
  name: string,
): Promise<Files | undefined> {
  const object = await client.get(type, { namespace: pod.metadata.namespace ?? '', name });
  if (!object) return undefined;
  const entries = (data: Record<string, string> = {}, encoding: BufferEncoding) =>
    Object.entries(data).map(([key, value]): [string, Buffer] => [key, Buffer.from(value, encoding)]);
  const plain = type.kind === 'Secret' ? 'base64' : 'utf8';
  return new Map([...entries(object.data, plain), ...entries(object.binaryData, 'base64')]);
}

type Source = { name?: string; items?: V1KeyToPath[]; optional?: boolean };

async function dataFiles(reader: Reader, type: ResourceType<Data>, source: Source): Promise<Files> {
  const { name = '', items, optional = false } = source;
  const kind = type.kind.toLowerCase();
  const data = await dataOf(reader, type, name);
  if (!data && !optional) throw new Waiting('ContainerCreating', `${kind} "${name}" not found`);
  return data && items ? chosen(data, items, optional) : (data ?? new Map());
}

function chosen(data: Files, items: V1KeyToPath[], optional: boolean): Files {
  const files: Files = new Map();
  for (const { key, path } of items) {
    const content = data.get(key);
    if (content) files.set(path, content);
    else if (!optional) throw new Waiting('ContainerCreating', `references non-existent key: ${key}`);
  }
  return files;
}

async function sourceFiles(reader: Reader, source: V1VolumeProjection): Promise<Files> {
  const { secret, configMap, downwardAPI, serviceAccountToken: token } = source;
  if (secret) return dataFiles(reader, SECRETS, secret);
  if (configMap) return dataFiles(reader, CONFIG_MAPS, configMap);
  if (token) return new Map([[token.path, Buffer.from(await reader.tokens(token.audience, token.expirationSeconds))]]);
  const items = downwardAPI?.items ?? [];
  return new Map(
    items.map(({ path, fieldRef }) => [path, Buffer.from(fieldOf(reader.pod, fieldRef?.fieldPath ?? ''))]),
  );
}

function sourcesOf({ secret, configMap, downwardAPI, projected }: V1Volume): V1VolumeProjection[] | undefined {
  if (secret) return [{ secret: { ...secret, name: secret.secretName ?? '' } }];
  if (configMap) return [{ configMap }];
  return downwardAPI ? [{ downwardAPI }] : projected?.sources;
}

/** The files of a volume that Kubernetes fills, or `undefined` for one that the containers fill. */
export async function filesOf(reader: Reader, volume: V1Volume): Promise<Files | undefined> {
  const sources = sourcesOf(volume);
  if (!sources) return undefined;
  const files: Files = new Map();
  for (const source of sources)
    for (const [path, content] of await sourceFiles(reader, source)) files.set(path, content);
  return files;
}
