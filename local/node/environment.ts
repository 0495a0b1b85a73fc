/**
 * What a container is started with: command and environment, with Kubernetes' `$(NAME)` references filled in and
 * its paths mapped onto the host. Nothing of this program's own environment comes through but PATH.
 */
import type { V1Container } from '@kubernetes/client-node';
import { dataOf, type Reader } from './files.ts';
import { type Host, type Mount, onHost } from './host.ts';
import { SECRETS } from './pod.ts';

type Environment = Record<string, string>;

/** `$(NAME)` for a known NAME; `$$` is one dollar (v1.EnvVar's rules). */
const expand = (text: string, known: Environment): string =>
  text.replace(/\$\$|\$\(([^()]*)\)/g, (whole, name) => (whole === '$$' ? '$' : (known[name] ?? whole)));

async function fromSecrets(reader: Reader, { envFrom = [] }: V1Container): Promise<Environment> {
  const all: Environment = {};
  for (const { secretRef } of envFrom) {
    if (!secretRef) throw new Error('the stand-in reads envFrom of Secrets alone');
    for (const [key, value] of await dataOf(reader, SECRETS, secretRef.name)) all[key] = value.toString();
  }
  return all;
}

/** Throws where a Secret is missing. */
export async function environmentOf(
  reader: Reader,
  container: V1Container,
  { host, mounts }: { host: Host; mounts: Mount[] },
): Promise<Environment> {
  const known: Environment = {
    PATH: host.path,
    HOSTNAME: reader.pod.metadata.name,
    KUBERNETES_SERVICE_HOST: host.apiServer.host,
    KUBERNETES_SERVICE_PORT: String(host.apiServer.port),
    ...(await fromSecrets(reader, container)),
  };
  const temp = onHost('/tmp', mounts);
  if (temp !== '/tmp') known['TMPDIR'] = temp;
  for (const { name, value = '', valueFrom } of container.env ?? []) {
    if (valueFrom) throw new Error(`the stand-in reads no valueFrom, which ${name} has`);
    known[name] = onHost(expand(value, known), mounts);
  }
  return known;
}

/** The command on the host; `node` is the Node that runs this program. Throws where there is none. */
export function commandOf({ command = [], args = [] }: V1Container, known: Environment, mounts: Mount[]): string[] {
  const [program = '', ...rest] = [...command, ...args].map((part) => onHost(expand(part, known), mounts));
  if (program === '') throw new Error('no command is given, and the stand-in has no image to take one from');
  return [program === 'node' ? process.execPath : program, ...rest];
}
