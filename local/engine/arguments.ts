/** What each program of the engine is started with. Pure; relative paths are in the engine's folder. */
import { PKI } from './pki.ts';

/** The names of the files in the engine's folder. */
export const FILES = {
  data: 'etcd',
  pki: 'pki',
  auditPolicy: 'audit-policy.json',
  authentication: 'authentication.json',
  tokens: 'tokens.csv',
  controllers: 'controllers.kubeconfig',
  admin: 'admin.kubeconfig',
} as const;

/** What a test may change. */
export interface Variant {
  /** Behave as this older version, as in `1.35`. */
  emulatedVersion?: string;
  featureGates?: Readonly<Record<string, boolean>>;
  /** More flags of kube-apiserver, such as `--runtime-config=…`. */
  serverArguments?: readonly string[];
  /** Don't wait for the disk: faster, and a power cut loses data. */
  unsafe?: boolean;
}

const pki = (name: keyof typeof PKI): string => `${FILES.pki}/${PKI[name]}`;

/** etcd has no users: it listens on a Unix socket, which the folder's mode keeps to this user. */
const CLIENTS = 'unix://etcd.sock';
export const ETCD_SOCKET = 'etcd.sock';
const PEERS = 'unix://etcd-peers.sock';

export const etcdArguments = ({ unsafe = false }: Variant): string[] => [
  '--name=tiny',
  `--data-dir=${FILES.data}`,
  `--listen-client-urls=${CLIENTS}`,
  `--advertise-client-urls=${CLIENTS}`,
  `--listen-peer-urls=${PEERS}`,
  `--initial-advertise-peer-urls=${PEERS}`,
  `--initial-cluster=tiny=${PEERS}`,
  '--log-level=warn',
  ...(unsafe ? ['--unsafe-no-fsync'] : []),
];

function variantArguments({ emulatedVersion, featureGates = {} }: Variant): string[] {
  const gates = Object.entries(featureGates).map((pair) => pair.join('='));
  return [
    ...(emulatedVersion ? [`--emulated-version=${emulatedVersion}`] : []),
    ...(gates.length ? [`--feature-gates=${gates.join(',')}`] : []),
  ];
}

export const apiServerArguments = (port: number, auditLog: string, variant: Variant): string[] => [
  `--etcd-servers=${CLIENTS}`,
  '--bind-address=127.0.0.1',
  `--secure-port=${port}`,
  `--tls-cert-file=${pki('server')}`,
  `--tls-private-key-file=${pki('serverKey')}`,
  `--authentication-config=${FILES.authentication}`,
  `--token-auth-file=${FILES.tokens}`,
  '--authorization-mode=Node,RBAC',
  `--audit-policy-file=${FILES.auditPolicy}`,
  `--audit-log-path=${auditLog}`,
  '--audit-log-mode=blocking',
  '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
  `--service-account-key-file=${pki('accounts')}`,
  `--service-account-signing-key-file=${pki('accountsKey')}`,
  '--service-cluster-ip-range=10.96.0.0/16',
  '--endpoint-reconciler-type=none',
  `--kubelet-certificate-authority=${pki('authority')}`,
  `--kubelet-client-certificate=${pki('kubelet')}`,
  `--kubelet-client-key=${pki('kubeletKey')}`,
  '--kubelet-preferred-address-types=InternalIP',
  '--profiling=false',
  ...variantArguments(variant),
  ...(variant.serverArguments ?? []),
];

/**
 * What tiny uses. What looks after machines and disks must not be here: the one node is a process of ours, and a claim
 * is a folder. Each of the others would cost time at the start.
 */
const CONTROLLERS = [
  'clusterrole-aggregation-controller',
  'deployment-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolumeclaim-protection-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'validatingadmissionpolicy-status-controller',
];

/** It listens nowhere: that it works is seen in what it does. */
export const controllerManagerArguments = ({ emulatedVersion, featureGates }: Variant): string[] => [
  `--kubeconfig=${FILES.controllers}`,
  '--secure-port=0',
  '--use-service-account-credentials',
  `--root-ca-file=${pki('authority')}`,
  `--service-account-private-key-file=${pki('accountsKey')}`,
  '--leader-elect=false',
  `--controllers=${CONTROLLERS.join(',')}`,
  ...variantArguments({ ...(emulatedVersion && { emulatedVersion }), ...(featureGates && { featureGates }) }),
];
