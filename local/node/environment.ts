/**
 * What a container is started with: command and environment, with Kubernetes' `$(NAME)` references filled in and
 * its paths mapped onto the host. Nothing of this program's own environment comes through but PATH.
 */
import type { V1Container, V1EnvFromSource, V1EnvVar, V1EnvVarSource } from '@kubernetes/client-node';
import { type Host, type Mount, onHost } from './host.ts';
import { CONFIG_MAPS, SECRETS } from './pod.ts';
import { dataOf, fieldOf, type Reader, Waiting } from './projections.ts';

type Environment = Record<string, string>;

/** `$(NAME)` for a known NAME; `$$` is one dollar (v1.EnvVar's rules). */
const expand = (text: string, known: Environment): string =>
  text.replace(/\$\$|\$\(([^()]*)\)/g, (whole, name) => (whole === '$$' ? '$' : (known[name] ?? whole)));

const configError = (message: string) => new Waiting('CreateContainerConfigError', message);

async function keyOf(reader: Reader, { secretKeyRef, configMapKeyRef }: V1EnvVarSource): Promise<string | undefined> {
  const type = secretKeyRef ? SECRETS : CONFIG_MAPS;
  const { name = '', key = '', optional = false } = secretKeyRef ?? configMapKeyRef ?? {};
  const data = await dataOf(reader, type, name);
  const value = data?.get(key)?.toString();
  if (value !== undefined || optional) return value;
  if (!data) throw configError(`${type.kind.toLowerCase()} "${name}" not found`);
  throw configError(`couldn't find key ${key} in ${type.kind} ${reader.pod.metadata.namespace}/${name}`);
}

async function fromOne(
  reader: Reader,
  { secretRef, configMapRef, prefix = '' }: V1EnvFromSource,
): Promise<Environment> {
  const type = secretRef ? SECRETS : CONFIG_MAPS;
  const { name = '', optional = false } = secretRef ?? configMapRef ?? {};
  const data = await dataOf(reader, type, name);
  if (!data && !optional) throw configError(`${type.kind.toLowerCase()} "${name}" not found`);
  return Object.fromEntries([...(data ?? [])].map(([key, value]) => [prefix + key, value.toString()]));
}

async function fromAll(reader: Reader, { envFrom = [] }: V1Container): Promise<Environment> {
  const all: Environment = {};
  for (const source of envFrom) Object.assign(all, await fromOne(reader, source));
  return all;
}

const variableValue = async (reader: Reader, { value = '', valueFrom }: V1EnvVar): Promise<string | undefined> => {
  if (!valueFrom) return value;
  return valueFrom.fieldRef ? fieldOf(reader.pod, valueFrom.fieldRef.fieldPath) : keyOf(reader, valueFrom);
};

/** Throws `Waiting` where a Secret, a ConfigMap or a key is missing. */
export async function environmentOf(
  reader: Reader,
  container: V1Container,
  at: { host: Host; mounts: Mount[] },
): Promise<Environment> {
  const { path, apiServer } = at.host;
  const known: Environment = {
    PATH: path,
    HOSTNAME: reader.pod.metadata.name,
    KUBERNETES_SERVICE_HOST: apiServer.host,
    KUBERNETES_SERVICE_PORT: String(apiServer.port),
    ...(await fromAll(reader, container)),
  };
  const temp = onHost('/tmp', at.mounts);
  if (temp !== '/tmp') known['TMPDIR'] = temp;
  for (const variable of container.env ?? []) {
    const value = await variableValue(reader, variable);
    if (value === undefined) continue;
    known[variable.name] = variable.valueFrom ? value : onHost(expand(value, known), at.mounts);
  }
  return known;
}

/** The command on the host; `node` is the Node that runs this program. */
export function commandOf({ command = [], args = [] }: V1Container, known: Environment, mounts: Mount[]): string[] {
  const [program = '', ...rest] = [...command, ...args].map((part) => onHost(expand(part, known), mounts));
  if (program === '') throw configError('no command is given, and the stand-in has no image to take one from');
  return [program === 'node' ? process.execPath : program, ...rest];
}
