/**
 * A pod's volumes as folders. `readOnly` is not enforced: processes of one user cannot be kept from writing. A file
 * is replaced atomically; several files of one volume are not replaced together, as the kubelet does it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { V1Container, V1Volume } from '@kubernetes/client-node';
import { CLAIMS } from '../../lib/kube/types.ts';
import { claimsFolder, folder, type Host, type Mount, tempFolderOf } from './host.ts';
import { claimsOf } from './pod.ts';
import { type Files, filesOf, type Reader, Waiting } from './projections.ts';

/** Why the pod cannot be scheduled, in the scheduler's words; `undefined` where all its claims are there to stay. */
export async function unschedulable({ client, pod }: Reader): Promise<string | undefined> {
  for (const name of claimsOf(pod)) {
    const claim = await client.get(CLAIMS, { namespace: pod.metadata.namespace ?? '', name });
    if (!claim) return `persistentvolumeclaim "${name}" not found`;
    if (claim.metadata.deletionTimestamp) return `persistentvolumeclaim "${name}" is being deleted`;
  }
}

function replaceFile(path: string, content: Buffer): void {
  if (existsSync(path) && readFileSync(path).equals(content)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, content, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function replaceFiles(into: string, files: Files): void {
  for (const [path, content] of files) replaceFile(join(into, path), content);
  for (const name of readdirSync(into))
    if (![...files.keys()].some((path) => path === name || path.startsWith(`${name}/`)))
      rmSync(join(into, name), { recursive: true });
}

export class Volumes {
  private readonly folders = new Map<string, string>();
  private readonly filled = new Set<string>();
  private readonly host: Host;
  private readonly reader: Reader;

  constructor(host: Host, reader: Reader) {
    this.host = host;
    this.reader = reader;
  }

  /** Makes or renews each volume. Throws `Waiting` where something that a volume names is missing. */
  async fill(): Promise<void> {
    for (const volume of this.reader.pod.spec.volumes ?? []) await this.fillOne(volume);
  }

  private async fillOne(volume: V1Volume): Promise<void> {
    const { name, persistentVolumeClaim: claim } = volume;
    const files = claim ? undefined : await filesOf(this.reader, volume);
    const path = claim ? await this.claimFolder(claim.claimName) : folder(this.temp, name);
    this.folders.set(name, path);
    if (!files) return;
    this.filled.add(name);
    replaceFiles(path, files);
  }

  private async claimFolder(name: string): Promise<string> {
    const claim = await this.reader.client.get(CLAIMS, { namespace: this.reader.pod.metadata.namespace ?? '', name });
    if (!claim) throw new Waiting('ContainerCreating', `persistentvolumeclaim "${name}" not found`);
    return folder(claimsFolder(this.host), claim.metadata.uid);
  }

  private get temp(): string {
    return tempFolderOf(this.host, this.reader.pod.metadata.uid);
  }

  /** Where the container's paths lie on the host; folders named by `subPath` are made. */
  mounts({ volumeMounts = [] }: V1Container): Mount[] {
    const mounts = volumeMounts.map(({ name, mountPath, subPath = '' }) => {
      const path = this.folders.get(name);
      if (path === undefined)
        throw new Waiting('CreateContainerConfigError', `volume "${name}" is not defined in the pod`);
      const host = this.filled.has(name) ? join(path, subPath) : folder(path, subPath);
      return { container: mountPath.replace(/\/$/, ''), host };
    });
    return [...mounts, { container: '/opt/tiny', host: this.host.agentFolder }];
  }

  /** The container's working folder: empty at first, gone with the pod. */
  workingFolder({ name }: V1Container): string {
    return folder(this.temp, `.${name}`);
  }
}
