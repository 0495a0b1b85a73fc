/** Finding the object that a person named; where there is none, the error says which there are. */
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { Client, ResourceType } from '../../lib/kube/types.ts';
import { Failure } from '../failure.ts';
import { didYouMean } from '../text/near.ts';
import { bareName } from './name.ts';

interface Wanted<T extends KubeObject> {
  type: ResourceType<T>;
  namespace: string;
  name: string;
}

/** The object, or a Failure with near names. */
export async function find<T extends KubeObject>(client: Client, wanted: Wanted<T>): Promise<Stored<T>> {
  const { type, namespace } = wanted;
  const name = bareName(wanted.name);
  if (!name) throw new Failure(`an empty name names no ${type.kind}`);
  const object = await client.get(type, { namespace, name });
  if (object) return object;
  const { items } = await client.list(type, { namespace });
  const names = items.map(({ metadata }) => metadata.name);
  const command = type.kind === 'Question' ? 'questions --all' : 'ls';
  const hint = didYouMean(name, names) || `\`tiny ${command} -n ${namespace}\` lists what there is (${names.length}).`;
  throw new Failure(`${type.kind} "${name}" was not found in namespace ${namespace}`, hint);
}
