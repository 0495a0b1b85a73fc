/** Knative's eventing objects, as far as the stand-in reads them. */
import type { ResourceType } from '../../lib/kube/types.ts';
import type { Served } from '../controllers/status.ts';
import type { Filter } from './filters.ts';

/** A Broker or a Knative Service; a `uri` is refused. */
export interface Destination {
  ref?: { kind: string; name: string; namespace?: string };
}
/** `eventing.knative.dev/v1` DeliverySpec. */
export interface Delivery {
  retry?: number;
  backoffPolicy?: 'linear' | 'exponential';
  /** ISO 8601: `PT0.2S`. */
  backoffDelay?: string;
  /** A Knative Service. */
  deadLetterSink?: Destination;
}
export interface Broker extends Served {
  spec?: { delivery?: Delivery };
}
export interface Trigger extends Served {
  spec: {
    broker: string;
    filters?: Filter[];
    /** The older form, refused. */
    filter?: unknown;
    subscriber: Destination;
    delivery?: Delivery;
  };
}
export interface Watched {
  apiVersion: string;
  kind: string;
  /** Refused. */
  selector?: unknown;
}
export interface ApiServerSource extends Served {
  spec: {
    resources: Watched[];
    mode?: 'Reference' | 'Resource';
    serviceAccountName?: string;
    namespaceSelector?: object;
    sink: Destination;
  };
}
export interface PingSource extends Served {
  spec: { schedule: string; data?: string; contentType?: string; sink: Destination };
}

const type = <T extends Served>(group: string, kind: string): ResourceType<T> => ({
  group: `${group}.knative.dev`,
  version: 'v1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: true,
});
export const BROKERS = type<Broker>('eventing', 'Broker');
export const TRIGGERS = type<Trigger>('eventing', 'Trigger');
export const API_SERVER_SOURCES = type<ApiServerSource>('sources', 'ApiServerSource');
export const PING_SOURCES = type<PingSource>('sources', 'PingSource');
