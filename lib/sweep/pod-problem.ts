/** Why a pod does not come up, or does not stay up, as its status says it. Pure. */
import type { V1ContainerStatus, V1Pod } from '@kubernetes/client-node';
import type { KubeObject, Stored } from '../api/meta.ts';

/** What hangs. `what` stays the same as long as the problem does; `detail` may change from minute to minute. */
export interface Problem {
  /** One word for the condition. */
  reason: string;
  what: string;
  detail?: string;
}

/** A pod's problem, and which pod it is. */
export interface PodTrouble {
  problem: Problem;
  pod: Stored<KubeObject>['metadata'];
}

/** A pod whose volumes or sandbox take longer than this, in milliseconds, is looked at through its Events. */
const SLOW_START_MS = 60_000;
/** How long past its grace period a pod may take to go, in milliseconds. */
const SLOW_END_MS = 120_000;

const detailed = (problem: Omit<Problem, 'detail'>, detail: string | undefined): Problem => ({
  ...problem,
  ...(detail && { detail }),
});

function waitingProblem({ name, image, state, lastState }: V1ContainerStatus): Problem | undefined {
  const { reason = '', message } = state?.waiting ?? {};
  if (/^(ErrImage|ImagePull|InvalidImage|ImageInspect|RegistryUnavailable)/.test(reason)) {
    return detailed(
      { reason: 'ImagePull', what: `the image "${image}" of container "${name}" can't be pulled` },
      message,
    );
  }
  if (reason === 'CreateContainerConfigError') {
    return detailed({ reason: 'MissingReference', what: `container "${name}" needs what is not there` }, message);
  }
  if (reason === 'CrashLoopBackOff') return crash(name, lastState?.terminated);
  if (/^(Create|Run)Container/.test(reason)) {
    return detailed({ reason: 'ContainerNotStarted', what: `container "${name}" can't be started` }, message);
  }
}

type Terminated = NonNullable<NonNullable<V1ContainerStatus['lastState']>['terminated']>;

/** The message is the container's last lines: terminationMessagePolicy FallbackToLogsOnError. */
function crash(name: string, ended: Terminated | undefined): Problem {
  const how =
    ended?.reason === 'OOMKilled' ? 'for want of memory (spec.resources)' : `with exit code ${ended?.exitCode}`;
  return detailed(
    { reason: 'CrashLoop', what: `container "${name}" ends again and again, the last time ${how}` },
    ended?.message,
  );
}

const seconds = (ms: number): number => ms / 1000;

function nodeProblem({ metadata, spec, status }: V1Pod, now: Date): Problem | undefined {
  const lost = status?.reason === 'NodeLost' || status?.conditions?.some(({ reason }) => reason === 'NodeLost');
  const due = metadata?.deletionTimestamp && new Date(metadata.deletionTimestamp).getTime() + SLOW_END_MS;
  if (!lost && !(due && due < now.getTime())) return undefined;
  return {
    reason: 'NodeLost',
    what: `its pod does not go from node "${spec?.nodeName}", which may be lost; once the node is known to be off, delete the pod with --force`,
  };
}

/** `undefined`: none that its status shows. `SlowStart` asks for the pod's Events. */
export function podProblem(pod: V1Pod, now: Date): Problem | undefined {
  const node = nodeProblem(pod, now);
  if (node) return node;
  const { status } = pod;
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') {
    return detailed({ reason: 'Unschedulable', what: 'no node takes its pod' }, scheduled.message);
  }
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const [first] = containers.flatMap((container) => waitingProblem(container) ?? []);
  return first ?? slowStart(pod, containers, now);
}

function slowStart({ status }: V1Pod, containers: V1ContainerStatus[], now: Date): Problem | undefined {
  const creating =
    status?.phase === 'Pending' &&
    containers.every(({ state }) => !state?.running && !state?.terminated) &&
    containers.some(({ state }) => /^(ContainerCreating|PodInitializing)$/.test(state?.waiting?.reason ?? ''));
  const since = status?.startTime && now.getTime() - new Date(status.startTime).getTime();
  if (!creating || !since || since < SLOW_START_MS) return undefined;
  return { reason: 'SlowStart', what: `its pod is not up after ${seconds(SLOW_START_MS)} s` };
}
