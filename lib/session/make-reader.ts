/**
 * A pod that looks into the volume of a Session whose own pod is not there, and prints what it finds: the transcript,
 * or an archive. It is made by a person, with that person's rights, lives for as long as it prints, and may do nothing
 * else: no token, no network, no writing, a deadline, and the Session as its owner. Pure.
 */
import type { V1Container, V1NetworkPolicySpec, V1PodSpec, V1Volume } from '@kubernetes/client-node';
import type { KubeObject, ObjectMeta, Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { confined, POD_SECURITY } from './confine.ts';
import { IMAGE_VERSION } from './make-containers.ts';
import type { Deployment } from './make-deployment.ts';
import { ownerReference } from './names.ts';

export interface ReaderPod extends KubeObject {
  spec: V1PodSpec;
}

/** Labels of readers. None of them is a Session's, whose network policy and workload select by those. */
const READER_LABELS = {
  'app.kubernetes.io/name': 'tiny-reader',
  'app.kubernetes.io/managed-by': 'tiny',
} as const;

/** The container that prints. */
export const READER = 'reader';

export interface Reading {
  /** What is printed. */
  what: 'transcript' | 'archive';
  /** Five characters that no other reader of the Session has. */
  suffix: string;
  /** Whose reader it is; default: as this library was made with. */
  image?: string | undefined;
  /** The node that the Session's own pod runs on: a volume may be mounted there alone. */
  node?: string | undefined;
}

/** How long a reader lives at most, in seconds, whoever forgets it. */
const DEADLINE = { transcript: 300, archive: 3600 } as const;

const readerMeta = (session: Stored<Session>, suffix: string): ObjectMeta => ({
  name: `${session.metadata.name}-read-${suffix}`,
  namespace: session.metadata.namespace,
  labels: { ...READER_LABELS },
  ownerReferences: [{ ...ownerReference(session), controller: false }],
});

export function makeReader(session: Stored<Session>, { what, suffix, image, node }: Reading): ReaderPod {
  const { name, uid } = session.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: readerMeta(session, suffix),
    spec: {
      ...readerSpec(session, node),
      activeDeadlineSeconds: DEADLINE[what],
      containers: [
        confined({
          ...programOf([what, '/volume', uid], image),
          volumeMounts: [{ name: 'work', mountPath: '/volume', readOnly: true }],
        }),
      ],
      volumes: [{ name: 'work', persistentVolumeClaim: { claimName: name } }],
    },
  };
}

export interface Filling {
  suffix: string;
  image?: string | undefined;
  /** The Session whose volume is copied; without, an archive comes from standard input. */
  from?: Stored<Session> | undefined;
}

/** A pod that fills the volume of a Session that has not begun, from another's volume or from an archive. */
export function makeLoader(session: Stored<Session>, { suffix, image, from }: Filling): ReaderPod {
  const { name, uid } = session.metadata;
  const claim = (of: Stored<Session>): V1Volume['persistentVolumeClaim'] => ({ claimName: of.metadata.name });
  const args = from
    ? ['copy', '/from', from.metadata.uid, from.metadata.name, '/volume', uid]
    : ['load', '/volume', uid];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...readerMeta(session, suffix), name: `${name}-load-${suffix}` },
    spec: {
      ...readerSpec(session, undefined),
      activeDeadlineSeconds: DEADLINE.archive,
      containers: [
        confined({
          ...programOf(args, image),
          ...(!from && { stdin: true, stdinOnce: true }),
          volumeMounts: [
            { name: 'work', mountPath: '/volume' },
            ...(from ? [{ name: 'from', mountPath: '/from', readOnly: true }] : []),
          ],
        }),
      ],
      volumes: [
        { name: 'work', persistentVolumeClaim: claim(session) },
        ...(from ? [{ name: 'from', persistentVolumeClaim: claim(from) }] : []),
      ],
    },
  };
}

/** The container, but for what it mounts. */
const programOf = (args: string[], image = `tiny.dev/agent-tools:${IMAGE_VERSION}`): V1Container => ({
  name: READER,
  image,
  command: ['node', '/opt/tiny/reader.cjs', ...args],
  resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
});

/** The reader's image, from where the Session's workload has its own: an installation may name a registry. */
export function readerImage(workload: KubeObject | undefined): string | undefined {
  const { template } = (workload as Deployment | undefined)?.spec ?? {};
  const tools = template?.spec?.initContainers?.find(({ name }) => name === 'tools')?.image;
  return tools?.replace(/agent-git(?=[:@]|$)/, 'agent-tools');
}

/** What all pods of this kind share: where the Session may run they may, and they are confined as it is. */
function readerSpec(session: Stored<Session>, node: string | undefined): Omit<V1PodSpec, 'containers'> {
  const { nodeSelector, tolerations, runtimeClassName } = session.spec;
  return {
    restartPolicy: 'Never',
    serviceAccountName: 'tiny-agent',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 1,
    securityContext: POD_SECURITY,
    nodeSelector,
    tolerations,
    runtimeClassName,
    ...(node && { affinity: on(node) }),
  };
}

/** As a DaemonSet binds its pods: by the node's name, and still through the scheduler. */
const on = (node: string): V1PodSpec['affinity'] => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
    },
  },
});

/** Readers reach nothing, and nothing reaches them. One a project, made before the first reader and left there. */
export function makeReaderPolicy(namespace: string): KubeObject & { spec: V1NetworkPolicySpec } {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'tiny-readers', namespace, labels: { 'app.kubernetes.io/managed-by': 'tiny' } },
    spec: {
      podSelector: { matchLabels: { ...READER_LABELS } },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: [],
    },
  };
}
