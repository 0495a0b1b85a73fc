/** Finding the object that a person named; where there is none, the error says which there are. */
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { Client, ResourceType } from '../../lib/kube/types.ts';
import { Failure } from '../failure.ts';
import { safeLine } from '../output/safe.ts';
import { didYouMean } from '../text/near.ts';
import { splitName } from './name.ts';

interface Wanted<T extends KubeObject> {
  type: ResourceType<T>;
  namespace: string;
  name: string;
}

/** A Failure where the object is another than the one that was meant: made anew under the same name. */
export function refuseAnother({ kind, metadata }: Stored<KubeObject>, uid: string | undefined): void {
  if (uid === undefined || (uid !== '' && metadata.uid.startsWith(uid))) return;
  throw new Failure(
    `${kind} "${metadata.name}" is not the one that you mean: its uid is ${metadata.uid}, not ${safeLine(uid) || 'empty'}`,
    'It was deleted, and another was made under its name. Look at that one first; nothing was done.',
  );
}

/** The object, or a Failure with near names. A name may be followed by `@` and the beginning of the uid. */
export async function find<T extends KubeObject>(client: Client, wanted: Wanted<T>): Promise<Stored<T>> {
  const { type, namespace } = wanted;
  const { name, uid } = splitName(wanted.name);
  if (!name) throw new Failure(`an empty name names no ${type.kind}`);
  const object = await client.get(type, { namespace, name });
  if (object) {
    refuseAnother(object, uid);
    return object;
  }
  const { items } = await client.list(type, { namespace });
  const names = items.map(({ metadata }) => metadata.name);
  const command = type.kind === 'Question' ? 'questions --all' : 'ls';
  const hint = didYouMean(name, names) || `\`tiny ${command} -n ${namespace}\` lists what there is (${names.length}).`;
  throw new Failure(`${type.kind} "${name}" was not found in namespace ${namespace}`, hint);
}
