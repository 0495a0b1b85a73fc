/** What an installation is made of: manifests read from the project's folders, fitted to the cluster. */
import { join } from 'node:path';
import type { KubeObject } from '../../lib/api/meta.ts';
import { choose, type Stage } from '../../lib/install/choose.ts';
import { withDeadLetters, withKafka } from '../../lib/install/eventing.ts';
import { detectFeatures, type Features } from '../../lib/install/features.ts';
import { withRegistry, withRegistryTold } from '../../lib/install/images.ts';
import { makeImpersonation } from '../../lib/install/impersonation.ts';
import { makeInstallation } from '../../lib/install/installation.ts';
import { readManifests } from '../../lib/install/manifests.ts';
import type { Client } from '../../lib/kube/types.ts';
import { Failure } from '../failure.ts';
import { applyKinds } from './apply-kinds.ts';

export const ROOT = join(import.meta.dirname, '../..');
/** Where functions live. */
export const SYSTEM = 'tiny-system';

export interface Wanted {
  minimal?: boolean;
  impersonate?: readonly string[];
  impersonateGroup?: readonly string[];
  registry?: string;
  /** Kinds that functions may apply in people's names. */
  applyKinds?: readonly string[];
  /** The Kafka broker instead of the in-memory one. */
  kafka?: boolean;
  /** Undelivered events are shown in a log. */
  deadLetters?: boolean;
  force?: boolean;
}

export interface StageObjects extends Stage {
  objects: KubeObject[];
}

export interface InstallPlan {
  features: Features;
  stages: StageObjects[];
  notes: string[];
}

/** The roles that let functions act as named people by the classic verb; none where nobody is named. */
function named({ impersonate = [], impersonateGroup = [] }: Wanted): StageObjects[] {
  if (!impersonate.length) return [];
  const people = impersonate.map((username) => ({ username, groups: [...impersonateGroup] }));
  return [{ name: 'Named people', folder: '', objects: makeImpersonation(people) }];
}

/** What was wished, as far as others have to know it. */
const noted = ({ registry }: Wanted): StageObjects => ({
  name: 'About the installation',
  folder: '',
  objects: [makeInstallation(registry)],
});

/** The manifests of a folder, fitted to what is wished. */
function fitted({ registry, kafka, deadLetters }: Wanted, folder: string): KubeObject[] {
  const sink = folder === 'knative' && deadLetters ? readManifests(join(ROOT, 'knative/dead-letters/sink.yaml')) : [];
  const changes = [
    ...(registry ? [(object: KubeObject) => withRegistry(withRegistryTold(object, registry), registry)] : []),
    ...(kafka ? [withKafka] : []),
    ...(deadLetters ? [withDeadLetters] : []),
  ];
  const objects = [...sink, ...readManifests(join(ROOT, folder))];
  return objects.map((object) => changes.reduce((one, change) => change(one), object));
}

/** Reads the cluster and the manifests. Throws Failure where tiny can't be installed there as wished. */
export async function planInstall(client: Client, wanted: Wanted): Promise<InstallPlan> {
  const { minimal = false, force = false, impersonate = [] } = wanted;
  const features = await detectFeatures(client);
  const choice = choose(features, { minimal, force, impersonates: impersonate.length > 0 });
  if ('refusal' in choice) throw new Failure(choice.refusal, ...choice.hints);
  const read = choice.stages.map((stage) => ({ ...stage, objects: fitted(wanted, stage.folder) }));
  const after = read.findIndex(({ name }) => name === 'Roles') + 1;
  const own = minimal ? [] : [noted(wanted), ...named(wanted)];
  return { features, stages: [...read.slice(0, after), ...own, ...read.slice(after)], notes: choice.notes };
}
