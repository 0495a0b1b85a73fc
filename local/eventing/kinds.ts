/** Knative's eventing objects, as far as the stand-in reads them. */

import type { KubeObject } from '../../lib/api/meta.ts';
import type { ResourceType } from '../../lib/kube/types.ts';
import type { Told } from '../controllers/conditions.ts';
import type { Filter } from './filters.ts';

export interface Destination {
  ref?: { apiVersion: string; kind: string; name: string; namespace?: string };
  uri?: string;
}
/** `eventing.knative.dev/v1` DeliverySpec. */
export interface Delivery {
  deadLetterSink?: Destination;
  retry?: number;
  backoffPolicy?: 'linear' | 'exponential';
  /** ISO 8601: `PT0.2S`. */
  backoffDelay?: string;
}
interface Reporting extends KubeObject {
  status?: { conditions?: Told[] };
}
export interface Broker extends Reporting {
  spec?: { delivery?: Delivery };
}
export interface Trigger extends Reporting {
  spec: {
    broker: string;
    filter?: { attributes?: Record<string, string> };
    filters?: Filter[];
    subscriber: Destination;
    delivery?: Delivery;
  };
}
export interface Watched {
  apiVersion: string;
  kind: string;
  selector?: { matchLabels?: Record<string, string>; matchExpressions?: unknown[] };
}
export interface ApiServerSource extends Reporting {
  spec: {
    resources: Watched[];
    mode?: 'Reference' | 'Resource';
    serviceAccountName?: string;
    namespaceSelector?: { matchLabels?: Record<string, string>; matchExpressions?: unknown[] };
    ceOverrides?: { extensions?: Record<string, string> };
    sink: Destination;
  };
}
export interface PingSource extends Reporting {
  spec: { schedule: string; data?: string; contentType?: string; sink: Destination };
}

const type = <T extends KubeObject>(group: string, kind: string): ResourceType<T> => ({
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
