/** The claim that holds a Session's repository, conversation and journal, and so outlives its pod. */
import type { V1PersistentVolumeClaimSpec } from '@kubernetes/client-node';
import { ANNOTATION, type KubeObject, type Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { childMeta } from './names.ts';
import { remembered } from './retained.ts';

export interface Claim extends KubeObject {
  spec: V1PersistentVolumeClaimSpec;
}

/** A retained claim has no owner, so that it stays when the Session goes, and says whose it was. */
export function makeClaim(session: Stored<Session>): Claim {
  const { size, className, accessMode, retain, dataSource } = session.spec.storage;
  const { ownerReferences, ...metadata } = childMeta(session);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: retain
      ? { ...metadata, annotations: { [ANNOTATION.retained]: remembered(session) } }
      : { ...metadata, ownerReferences },
    spec: {
      accessModes: [accessMode],
      resources: { requests: { storage: size } },
      storageClassName: className,
      dataSource,
    },
  };
}
