/**
 * What a proposed object would change, as the API server tells whoever looks: a read and a dry run with that person's
 * own rights, so that nobody sees by it what they may not read, and who may not apply it is told so.
 */
import type { KubeObject, Stored } from '../api/meta.ts';
import { LABEL } from '../api/meta.ts';
import type { Manifest, Proposal } from '../api/question-parts.ts';
import { discover } from '../kube/discover.ts';
import type { Client, ResourceType } from '../kube/types.ts';
import { type Change, changesOf, digestOf } from './apply-changes.ts';
import { named, objectOf, UnusableManifest } from './apply-manifest.ts';

/** Owns the fields that are applied for an agent, whoever does it. */
export const FIELD_MANAGER = 'tiny-question';

export interface Looked {
  manifest: Manifest;
  type: ResourceType;
  object: KubeObject;
  /** As it is; absent where it would be made. */
  live: Stored<KubeObject> | undefined;
  changes: Change[];
  digest: string;
}

export interface Callers {
  /** Asks what is served, as itself. */
  own: Client;
  /** With whose rights it is read and applied. */
  person: Client;
}

/** How an apply of a proposal is made; `live`: only where the object is still that one. */
export function applyOf({ object, live }: Pick<Looked, 'object' | 'live'>, { force = false }: Proposal) {
  const { uid, resourceVersion } = live?.metadata ?? {};
  const metadata = { ...object.metadata, ...(live && { uid, resourceVersion }) } as KubeObject['metadata'];
  return { object: { ...object, metadata }, options: { force, fieldManager: FIELD_MANAGER } };
}

async function typeOf(own: Client, manifest: Manifest): Promise<ResourceType> {
  const type = await discover(own, manifest);
  if (!type)
    throw new UnusableManifest(`${named(manifest)}: this cluster serves no ${manifest.apiVersion} ${manifest.kind}`);
  if (type.namespaced) return type;
  throw new UnusableManifest(
    `${named(manifest)}: ${manifest.kind} is no object of a namespace, and only those are applied`,
  );
}

/** A Session's objects follow its spec: what is changed past it would not last, or open what it closes. */
function refuseSessions(manifest: Manifest, live: KubeObject | undefined): void {
  const session = live?.metadata.labels?.[LABEL.session];
  if (session !== undefined && live?.metadata.labels?.[LABEL.sessionUid] !== undefined)
    throw new UnusableManifest(`${named(manifest)} belongs to Session ${session}, and changes with it alone`);
}

/** Throws `UnusableManifest` and, where the API server says no, `ApiError`. */
export async function look({ own, person }: Callers, manifest: Manifest, proposal: Proposal): Promise<Looked> {
  const object = objectOf(manifest);
  const type = await typeOf(own, manifest);
  const live = await person.get(type, object.metadata);
  refuseSessions(manifest, live);
  const asked = applyOf({ object, live }, proposal);
  const dryRun = await person.apply(type, asked.object, { ...asked.options, dryRun: true });
  const changes = changesOf(manifest, live, dryRun);
  return { manifest, type, object, live, changes, digest: digestOf(manifest, live, changes) };
}

/** Each object of a proposal, looked at in order. Throws as `look` does. */
export async function lookAtAll(callers: Callers, proposal: Proposal): Promise<Looked[]> {
  const looked: Looked[] = [];
  for (const manifest of proposal.objects) looked.push(await look(callers, manifest, proposal));
  return looked;
}
