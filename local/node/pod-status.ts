/** What a pod reports, from what its containers report: pure. The conditions are the kubelet's. */
import { type Told, withTimes } from '../controllers/conditions.ts';
import type { Container } from './container.ts';
import type { ContainerStatus, PodStatus } from './pod.ts';

export interface Progress {
  /** Why it waits to be scheduled. */
  unschedulable: string | undefined;
  /** The init containers have run, the sidecars run. */
  initialized: boolean;
  /** The phase of a pod that has run to its end. */
  ended: 'Succeeded' | 'Failed' | undefined;
  init: readonly Container[];
  main: readonly Container[];
}

const is = (type: string, yes: boolean, why?: { reason: string; message: string }): Told => ({
  type,
  status: yes ? 'True' : 'False',
  ...(yes ? {} : why),
});

const notReady = (statuses: ContainerStatus[]) => statuses.filter(({ ready }) => !ready).map(({ name }) => name);

function conditionsOf(progress: Progress): Told[] {
  const { init, main, ended } = progress;
  const sidecars = init.filter(({ spec }) => spec.restartPolicy === 'Always');
  const unready = notReady([...sidecars, ...main].map(({ status }) => status));
  const why =
    ended === 'Succeeded'
      ? { reason: 'PodCompleted', message: '' }
      : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
  const ready = unready.length === 0 && progress.initialized && !ended;
  const incomplete = notReady(init.map(({ status }) => status)).join(' ');
  return [
    is('PodScheduled', progress.unschedulable === undefined, {
      reason: 'Unschedulable',
      message: progress.unschedulable ?? '',
    }),
    is('Initialized', progress.initialized, {
      reason: 'ContainersNotInitialized',
      message: `containers with incomplete status: [${incomplete}]`,
    }),
    is('ContainersReady', ready, why),
    is('Ready', ready, why),
  ];
}

/** `before`: the status as last reported. */
export function podStatus(progress: Progress, before: PodStatus | undefined, now: Date): PodStatus {
  const { init, main, initialized, ended } = progress;
  const begun = initialized && main.some(({ status }) => !status.state.waiting || status.lastState.terminated);
  return {
    phase: ended ?? (begun ? 'Running' : 'Pending'),
    startTime: before?.startTime ?? now.toISOString(),
    hostIP: '127.0.0.1',
    podIP: '127.0.0.1',
    podIPs: [{ ip: '127.0.0.1' }],
    conditions: withTimes(conditionsOf(progress), before?.conditions, now) as NonNullable<PodStatus['conditions']>,
    containerStatuses: main.map(({ status }) => structuredClone(status)),
    ...(init.length > 0 ? { initContainerStatuses: init.map(({ status }) => structuredClone(status)) } : {}),
  };
}
