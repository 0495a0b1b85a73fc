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
  return {
    phase: phaseOf(pod, main),
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

function phaseOf({ spec }: Pod, main: readonly ContainerStatus[]): PodStatus['phase'] {
  const codes = main.map(({ state }) => state.terminated?.exitCode);
  if (spec.restartPolicy === 'Never' && codes.every((code) => code !== undefined))
    return codes.every((code) => code === 0) ? 'Succeeded' : 'Failed';
  const begun = main.some(({ state, lastState }) => !state.waiting || lastState.terminated);
  return begun ? 'Running' : 'Pending';
}
