/** What a pod reports, from what its containers report: pure. */
import { type Telling, transition } from '../../lib/api/conditions.ts';
import type { ContainerStatus, Pod, PodStatus } from './pod.ts';

export interface Progress {
  /** Why it waits to be scheduled. */
  unschedulable: string | undefined;
  initial: ContainerStatus[];
  main: ContainerStatus[];
}

/** The status as it is now. */
export function podStatus(pod: Pod, { unschedulable, initial, main }: Progress, now: Date): PodStatus {
  const unready = [...initial, ...main].filter(({ ready }) => !ready).map(({ name }) => name);
  const tell = (type: string, is: boolean, [reason, message]: [string, string]) => {
    const told: Telling = { type, status: is ? 'True' : 'False', reason, message };
    return transition(pod, told, now);
  };
  const begun = main.some(({ state, lastState }) => !state.waiting || lastState.terminated);
  return {
    phase: begun ? 'Running' : 'Pending',
    startTime: pod.status?.startTime ?? now.toISOString(),
    hostIP: '127.0.0.1',
    podIP: '127.0.0.1',
    conditions: [
      unschedulable === undefined
        ? tell('PodScheduled', true, ['Scheduled', ''])
        : tell('PodScheduled', false, ['Unschedulable', unschedulable]),
      unready.length === 0
        ? tell('Ready', true, ['ContainersReady', ''])
        : tell('Ready', false, ['ContainersNotReady', `containers with unready status: [${unready.join(' ')}]`]),
    ],
    initContainerStatuses: initial.map((status) => structuredClone(status)),
    containerStatuses: main.map((status) => structuredClone(status)),
  };
}
