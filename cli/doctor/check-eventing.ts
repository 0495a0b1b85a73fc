/** Whether events find their way from the API server to the functions. Pure. */
import type { KubeObject } from '../../lib/api/meta.ts';
import type { Finding } from './finding.ts';
import type { Eventing, Read, Served, System } from './observed.ts';

const NAMESPACE = 'tiny-system';
const ASYNC = 'messaging.knative.dev/async-handler';
const PART_OF = 'app.kubernetes.io/part-of';
const CLASS = 'eventing.knative.dev/broker.class';

/** What follows from one that does not work. */
const WHY: Record<string, string> = {
  ApiServerSource: 'No event of a Session or Question is sent: nothing happens until somebody touches it.',
  PingSource: 'The sweep does not run: what an event missed stays as it is.',
  Broker: 'Events are dropped: nothing happens until somebody touches the Session.',
  Trigger: 'Its function is not woken.',
  Service: 'Its function can not run: events for it are retried a few times, then lost.',
};

const finding = (object: Pick<KubeObject, 'kind' | 'metadata'>, more: Partial<Finding>): Finding => ({
  severity: 'error',
  reason: 'NotReady',
  object: `${object.kind} ${object.metadata.name}`,
  namespace: NAMESPACE,
  what: 'is not there',
  why: WHY[object.kind] ?? '',
  fix: 'tiny install',
  ...more,
});

const readyOf = ({ status }: Served) => status?.conditions?.find(({ type }) => type === 'Ready');
const resource = (kind: string): string => (kind === 'Service' ? 'ksvc' : kind.toLowerCase());

function notReady(object: Served): Finding[] {
  const ready = readyOf(object);
  if (ready?.status === 'True') return [];
  const said = [ready?.reason, ready?.message].filter(Boolean).join(': ');
  const { kind, metadata } = object;
  const fix = `kubectl -n ${NAMESPACE} describe ${resource(kind)} ${metadata.name}`;
  return [finding(object, { what: `is not Ready${said && ` (${said})`}`, fix })];
}

/** Of the broker that ships with Knative: it answers the source only when every trigger has answered. */
function dropping(broker: Served): Finding[] {
  const { annotations = {} } = broker.metadata;
  const kind = annotations[CLASS] ?? 'MTChannelBasedBroker';
  if (kind !== 'MTChannelBasedBroker' || annotations[ASYNC] === 'true') return [];
  return [
    finding(broker, {
      reason: 'BrokerWaits',
      what: `has no annotation ${ASYNC}: "true"`,
      why: 'One function that is down holds up all events for minutes, and the source then drops them.',
      fix: `kubectl -n ${NAMESPACE} delete broker ${broker.metadata.name} && tiny install   (it counts only from the broker's creation on)`,
    }),
  ];
}

function deadLetters(trigger: Served, brokers: readonly Served[]): Finding[] {
  const has = ({ spec }: Served) => spec?.delivery?.deadLetterSink !== undefined;
  if (has(trigger) || brokers.some(has)) return [];
  return [
    finding(trigger, {
      severity: 'warning',
      reason: 'NoDeadLetterSink',
      what: 'has no dead-letter sink',
      why: 'An event that no retry delivers is gone; its Session stays as it is until somebody touches it.',
      fix: 'tiny install   (docs/decisions/dead-letters.md)',
    }),
  ];
}

const listOf: Record<string, (eventing: Eventing) => Read<Served[]>> = {
  ApiServerSource: ({ sources }) => sources,
  PingSource: ({ schedules }) => schedules,
  Broker: ({ brokers }) => brokers,
  Trigger: ({ triggers }) => triggers,
  Service: ({ services }) => services,
};

function checkOne(expected: KubeObject, eventing: Eventing): Finding[] {
  const read = listOf[expected.kind]?.(eventing);
  if (!read || 'hidden' in read) return [];
  const live = read.value.find(({ metadata }) => metadata.name === expected.metadata.name);
  if (!live) return [finding(expected, { reason: 'Missing' })];
  return checkLive({ ...live, kind: expected.kind }, eventing);
}

function checkLive(object: Served, eventing: Eventing): Finding[] {
  const brokers = 'value' in eventing.brokers ? eventing.brokers.value : [];
  return [
    ...notReady(object),
    ...(object.kind === 'Broker' ? dropping(object) : []),
    ...(object.kind === 'Trigger' ? deadLetters(object, brokers) : []),
  ];
}

/** What is installed where somebody wants it: tiny's by its label, and not expected everywhere. */
function checkOthers(expected: readonly KubeObject[], eventing: Eventing): Finding[] {
  const known = new Set(expected.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
  return Object.entries(listOf).flatMap(([kind, list]) => {
    const read = list(eventing);
    const live = 'value' in read ? read.value : [];
    return live
      .filter(({ metadata }) => metadata.labels?.[PART_OF] === 'tiny' && !known.has(`${kind}/${metadata.name}`))
      .flatMap((one) => checkLive({ ...one, kind }, eventing));
  });
}

/** Nothing is expected where Knative is not. */
export const checkEventing = ({ eventing, expected, features }: System): Finding[] =>
  (eventing
    ? [...expected.eventing.flatMap((one) => checkOne(one, eventing)), ...checkOthers(expected.eventing, eventing)]
    : []
  ).filter(
    // The local cluster has no dead-letter sinks.
    ({ reason }) => !(features.standIn && reason === 'NoDeadLetterSink'),
  );
