/** What an installation is made of: manifests read from the project's folders, fitted to the cluster. */
import { join } from 'node:path';
import type { KubeObject } from '../../lib/api/meta.ts';
import { choose, type Stage } from '../../lib/install/choose.ts';
import { withKafka } from '../../lib/install/eventing.ts';
import { detectFeatures, type Features } from '../../lib/install/features.ts';
import { withRegistry, withRegistryTold } from '../../lib/install/images.ts';
import { makeInstallation } from '../../lib/install/installation.ts';
import { readManifests } from '../../lib/install/manifests.ts';
import type { Client } from '../../lib/kube/types.ts';
import { Failure } from '../failure.ts';
import { applyKinds } from './apply-kinds.ts';
import { type Named, namedPeople, peopleOf } from './named.ts';

export const ROOT = join(import.meta.dirname, '../..');
/** Where functions live. */
export const SYSTEM = 'tiny-system';

export interface Wanted extends Named {
  minimal?: boolean;
  registry?: string;
  /** Kinds that functions may apply in people's names. */
  applyKinds?: readonly string[];
  /** The Kafka broker instead of the in-memory one. */
  kafka?: boolean;
  /** Functions that are installed where somebody wants them, by name. */
  with?: readonly string[];
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

/** The roles that let functions act as named people by the classic verb; none where nobody is, or was, named. */
async function named(client: Client, wanted: Wanted): Promise<StageObjects[]> {
  const objects = await namedPeople(client, wanted);
  return objects.length ? [{ name: 'Named people', folder: '', objects }] : [];
}

/** What was wished, as far as others have to know it. */
const noted = ({ registry }: Wanted): StageObjects => ({
  name: 'About the installation',
  folder: '',
  objects: [makeInstallation(registry)],
});

/** The role that lets functions apply the kinds that were named. */
async function appliedKinds(client: Client, wanted: Wanted): Promise<StageObjects[]> {
  const objects = await applyKinds(client, wanted.applyKinds);
  return objects.length ? [{ name: 'Kinds that are applied', folder: '', objects }] : [];
}

/** The manifests of a folder, fitted to what is wished. */
function fitted({ registry, kafka }: Wanted, folder: string): KubeObject[] {
  const changes = [
    ...(registry ? [(object: KubeObject) => withRegistry(withRegistryTold(object, registry), registry)] : []),
    ...(kafka ? [withKafka] : []),
  ];
  return readManifests(join(ROOT, folder)).map((object) => changes.reduce((one, change) => change(one), object));
}

/** Reads the cluster and the manifests. Throws Failure where tiny can't be installed there as wished. */
export async function planInstall(client: Client, wanted: Wanted): Promise<InstallPlan> {
  const { minimal = false, force = false } = wanted;
  const features = await detectFeatures(client);
  const functions = wanted.with;
  const choice = choose(features, { minimal, force, functions, impersonates: peopleOf(wanted).length > 0 });
  if ('refusal' in choice) throw new Failure(choice.refusal, ...choice.hints);
  const read = choice.stages.map((stage) => ({ ...stage, objects: fitted(wanted, stage.folder) }));
  const after = read.findIndex(({ name }) => name === 'Roles') + 1;
  const own = minimal ? [] : [noted(wanted), ...(await named(client, wanted)), ...(await appliedKinds(client, wanted))];
  return { features, stages: [...read.slice(0, after), ...own, ...read.slice(after)], notes: choice.notes };
}
