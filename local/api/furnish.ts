/** Puts into a new cluster what every cluster has from the start: `cluster.yaml`. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { toTimestamp } from '../../lib/api/conditions.ts';
import { resourceTypeOf } from '../../lib/install/apply.ts';
import { resourceName } from '../../lib/kube/path.ts';
import type { Stored } from '../types.ts';
import { completed } from './kinds.ts';
import type { Store } from './store.ts';

/** Adds what is missing; what is there stays as it is. */
export function furnish(store: Store, now: Date): void {
  const text = readFileSync(new URL('./cluster.yaml', import.meta.url), 'utf8');
  const creationTimestamp = toTimestamp(now);
  for (const object of parseAllDocuments(text).map((document) => document.toJS() as Stored)) {
    const key = resourceName(resourceTypeOf(object));
    const metadata = { ...object.metadata, uid: randomUUID(), creationTimestamp };
    const whole = completed(key, { ...object, metadata }, creationTimestamp);
    if (!store.get(key, '', metadata.name)) store.put(key, whole);
  }
}
