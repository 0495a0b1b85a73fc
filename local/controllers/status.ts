/** How every part of the stand-in reports on an object. */
import { isDeepStrictEqual } from 'node:util';
import { type Conditioned, transition } from '../../lib/api/conditions.ts';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import type { ResourceType } from '../../lib/kube/types.ts';
import { messageOf, type World } from './loop.ts';

type Reporting = KubeObject & { status?: object };

/** Whether the API server says that the object is not there, or is another by now. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && [404, 409].includes(error.code);

/** Writes a status where it is another than the last one written, and keeps it in `object`. Never throws. */
export async function setStatus<T extends Reporting>(
  { client, log }: World,
  type: ResourceType<T>,
  { object, status }: { object: Stored<T>; status: NonNullable<T['status']> },
): Promise<void> {
  if (isDeepStrictEqual(status, object.status)) return;
  object.status = status;
  const { apiVersion, kind, metadata } = object;
  const { name, namespace = '', uid } = metadata;
  try {
    await client.applyStatus(type, { apiVersion, kind, metadata: { name, namespace, uid }, status });
  } catch (error) {
    if (!isGone(error)) log(`status of ${kind} ${namespace}/${name}: ${messageOf(error)}`);
  }
}

/** Any of Knative's objects. */
export type Served = KubeObject & { status?: Conditioned['status'] & { url?: string } };

/** Says in its status that the stand-in serves an object of Knative, or what keeps it from that. */
export function reportServed<T extends Served>(
  world: World,
  type: ResourceType<T>,
  { object, problem, ...more }: { object: Stored<T>; problem: string | undefined; url?: string },
): Promise<void> {
  const isServed = problem === undefined;
  const ready = isServed
    ? { status: 'True' as const, reason: 'Served', message: '' }
    : { status: 'False' as const, reason: 'NotServed', message: problem };
  const conditions = [transition(object, { type: 'Ready', ...ready }, world.now())];
  const status = { observedGeneration: object.metadata.generation, conditions, ...more };
  return setStatus(world, type, { object, status });
}
