/**
 * A pod's volumes as folders. `readOnly` is not enforced: processes of one user cannot be kept from writing. A file
 * is replaced atomically; several files of one volume are not replaced together, as the kubelet does it.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { V1Container, V1Volume } from '@kubernetes/client-node';
import { CLAIMS } from '../../lib/kube/types.ts';
import { filesOf, type Reader } from './files.ts';
import { claimsFolder, folder, type Host, type Mount, ownFolder, tempFolderOf } from './host.ts';
import { claimsOf } from './pod.ts';

const claimOf = ({ client, pod }: Reader, name: string) =>
  client.get(CLAIMS, { namespace: pod.metadata.namespace ?? '', name });

/** Why the pod cannot be scheduled, in the scheduler's words; `undefined` where all its claims are there to stay. */
export async function unschedulable(reader: Reader): Promise<string | undefined> {
  for (const name of claimsOf(reader.pod)) {
    const claim = await claimOf(reader, name);
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

export class Volumes {
  private readonly folders = new Map<string, string>();
  private readonly host: Host;
  private readonly reader: Reader;

  constructor(host: Host, reader: Reader) {
    this.host = host;
    this.reader = reader;
  }

  /** Makes or renews each volume. Throws where something that a volume names is missing. */
  async fill(): Promise<void> {
    for (const volume of this.reader.pod.spec.volumes ?? []) this.folders.set(volume.name, await this.fillOne(volume));
  }

  /** Where the container's paths lie on the host; folders named by `subPath` are made. */
  mounts({ volumeMounts = [] }: V1Container): Mount[] {
    const mounts = volumeMounts.map(({ name, mountPath, subPath = '' }) => {
      const path = this.folders.get(name);
      if (path === undefined) throw new Error(`volume "${name}" is not defined in the pod`);
      return { container: mountPath, host: folder(path, subPath) };
    });
    return [...mounts, { container: '/opt/tiny', host: this.host.agentFolder }];
  }

  /** The container's working folder: empty at first, gone with the pod. */
  workingFolder({ name }: V1Container): string {
    return folder(this.temp, `.${name}`);
  }

  private async fillOne(volume: V1Volume): Promise<string> {
    const { name, persistentVolumeClaim: named } = volume;
    if (named) {
      const claim = await claimOf(this.reader, named.claimName);
      if (!claim) throw new Error(`persistentvolumeclaim "${named.claimName}" not found`);
      return folder(claimsFolder(this.host), claim.metadata.uid);
    }
    const files = await filesOf(this.reader, volume);
    const path = folder(this.temp, name);
    for (const [file, content] of files ?? []) replaceFile(join(path, file), content);
    return path;
  }

  private get temp(): string {
    return ownFolder(tempFolderOf(this.host, this.reader.pod.metadata.uid));
  }
}
