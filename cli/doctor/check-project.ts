/** Whether a namespace has what Sessions need there, and what they are stuck at. Pure. */
import type { Session } from '../../lib/api/session.ts';
import type { Finding } from './finding.ts';
import type { Pod, Project, System } from './observed.ts';

/** An event comes in a second or two, a retry in half a minute; milliseconds. */
const PATIENCE = 120_000;

/** `rbac/project`, piece by piece. */
function checkParts({ namespace, present, expected }: Project): Finding[] {
  if ('hidden' in present) return [];
  const missing = expected.filter((part) => !present.value.includes(part));
  if (!missing.length) return [];
  return [
    {
      severity: 'error',
      reason: 'ProjectNotPrepared',
      object: `Namespace ${namespace}`,
      namespace,
      what: `lacks ${missing.map((part) => part.replace('/', ' ')).join(', ')}`,
      why: "A session's pod does not start without its account, and functions act only where they are bound.",
      fix: `tiny init ${namespace}`,
    },
  ];
}

const WAITS = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
]);

type Container = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

const IMAGE_FIX =
  'push the image there, or say where it is: `tiny install --registry HOST`; of a Session: spec.agent.image';

function waitingContainer({ metadata }: Pod, { name, image = '', state }: Container): Finding[] {
  const { reason = '', message = '' } = state?.waiting ?? {};
  if (!WAITS.has(reason)) return [];
  const isImage = reason !== 'CreateContainerConfigError';
  return [
    {
      severity: 'error',
      reason,
      object: `Pod ${metadata.name}`,
      ...(metadata.namespace && { namespace: metadata.namespace }),
      what: `container ${name} waits: ${message || reason}`,
      why: isImage ? `Its image ${image} can not be had.` : 'Something that it mounts or reads is not there.',
      fix: isImage ? IMAGE_FIX : `kubectl -n ${metadata.namespace} describe pod ${metadata.name}`,
    },
  ];
}

const containersOf = ({ status }: Pod): Container[] => [
  ...(status?.initContainerStatuses ?? []),
  ...(status?.containerStatuses ?? []),
];

/** Pods whose images or Secrets are not to be had. */
export const checkPods = (pods: readonly Pod[]): Finding[] =>
  pods.flatMap((pod) => containersOf(pod).flatMap((container) => waitingContainer(pod, container)));

const conditionOf = ({ status }: Session, type: string) => status?.conditions?.find((one) => one.type === type);

/** Reasons that pass by themselves, or are found by another check. */
const PASSING = new Set(['PredecessorTerminating']);

function refused(session: Session): Finding[] {
  const materialised = conditionOf(session, 'Materialised');
  if (materialised?.status !== 'False' || PASSING.has(materialised.reason)) return [];
  const { name, namespace = '' } = session.metadata;
  return [
    {
      severity: 'warning',
      reason: materialised.reason,
      object: `Session ${name}`,
      namespace,
      what: `was refused: ${materialised.message}`,
      why: 'It is tried again when the Session changes or is touched.',
      fix: `mend what the message says, then tiny -n ${namespace} touch ${name}`,
    },
  ];
}

/** A Session of which nobody has spoken, or not as it is now, though there was time. */
function stuck(session: Session, { now, functions }: System): Finding[] {
  const { name, namespace = '', generation = 0, creationTimestamp = '', deletionTimestamp } = session.metadata;
  const seen = conditionOf(session, 'Materialised')?.observedGeneration ?? 0;
  const age = now.getTime() - Date.parse(creationTimestamp);
  if (deletionTimestamp || seen >= generation || !(age > PATIENCE)) return [];
  return [
    {
      severity: 'error',
      reason: 'Stuck',
      object: `Session ${name}`,
      namespace,
      what: seen ? 'has changed, and nothing was done about it' : 'was never materialised',
      why: functions
        ? 'Its event was lost, or its function fails; Knative loses events by design.'
        : 'No function acts here: whoever asked for it makes it.',
      fix: `tiny -n ${namespace} touch ${name}${functions ? `; then kubectl -n tiny-system logs -l serving.knative.dev/service=session -c user-container` : ''}`,
    },
  ];
}

function nobody(session: Session): Finding[] {
  const { name, namespace = '' } = session.metadata;
  if (session.spec.requester) return [];
  return [
    {
      severity: 'error',
      reason: 'NoRequester',
      object: `Session ${name}`,
      namespace,
      what: 'says of nobody that they asked for it',
      why: 'It was made while the policies were missing; functions act for nobody.',
      fix: `tiny install, then tiny -n ${namespace} touch ${name}`,
    },
  ];
}

/** All of one project. */
export function checkProject(project: Project, system: System): Finding[] {
  const sessions = 'value' in project.sessions ? project.sessions.value : [];
  const pods = 'value' in project.pods ? project.pods.value : [];
  return [
    ...checkParts(project),
    ...sessions.flatMap((session) => [...nobody(session), ...refused(session), ...stuck(session, system)]),
    ...checkPods(pods),
  ];
}
