/** What of the eventing differs by choice; the same as the overlays in `knative/`, for objects. Pure. */
import type { KubeObject } from '../api/meta.ts';

type Broker = KubeObject & { spec: object };

const CLASS = 'eventing.knative.dev/broker.class';
const ASYNC = 'messaging.knative.dev/async-handler';

/** As `knative/kafka`: it delivers to each trigger apart by itself. */
export function withKafka(object: KubeObject): KubeObject {
  if (object.kind !== 'Broker') return object;
  const { metadata, spec } = object as Broker;
  const { [ASYNC]: _, ...annotations } = metadata.annotations ?? {};
  const config = { apiVersion: 'v1', kind: 'ConfigMap', name: 'kafka-broker-config', namespace: 'knative-eventing' };
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [CLASS]: 'Kafka' } },
    spec: { ...spec, config },
  } as Broker;
}
