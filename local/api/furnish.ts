/** Puts into a new cluster what every cluster has from the start: `cluster.yaml`. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { Stored } from '../types.ts';
import { type Api, timestamp } from './call.ts';
import { groupResource } from './errors.ts';
import { KINDS } from './kinds.ts';
import { apiVersionOf } from './resources.ts';

/** Adds what is missing; what is there stays as it is. */
export function furnish({ store, registry, now }: Api): void {
  const text = readFileSync(new URL('./cluster.yaml', import.meta.url), 'utf8');
  const time = timestamp(now());
  for (const object of parseAllDocuments(text).map((document) => document.toJS() as Stored)) {
    const resource = registry
      .all()
      .find((each) => each.kind === object.kind && apiVersionOf(each) === object.apiVersion);
    const key = resource ? groupResource(resource) : '';
    const metadata = { ...object.metadata, uid: randomUUID(), creationTimestamp: time };
    const whole = KINDS[key]?.complete?.({ ...object, metadata }, time) ?? { ...object, metadata };
    if (!store.get(key, '', metadata.name)) store.put(key, whole);
  }
}
