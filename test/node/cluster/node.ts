/**
 * A real node inside the sandbox: containerd, kubelet, scheduler and controller manager beside the engine's API server.
 * Nothing is ended here: the sandbox ends it all.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client, ResourceType } from '../../../lib/kube/types.ts';
import { controllerManagerArguments } from '../../../local/engine/arguments.ts';
import { kubeconfig } from '../../../local/engine/configuration.ts';
import { until } from './until.ts';

/** The node's address is that of the Service `kubernetes`, so that no kube-proxy is needed. */
export const ADDRESS = '10.96.0.1';
export const NODE = 'tiny-node';
const PODS_NETWORK = '10.244.0.0/24';
const PAUSE = 'tiny.dev/pause:1';
const NODES: ResourceType = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

export interface NodeOptions {
  /** Holds everything. */
  folder: string;
  /** Folder of the programs. */
  programs: string;
  /** The controller manager's program and its kubeconfig, in the engine's folder. */
  controllerManager: string;
  engineFolder: string;
  /** Archives to import; the pause image's among them. */
  images: readonly string[];
  url: string;
  /** Bearer tokens of the kubelet and the scheduler. */
  tokens: { kubelet: string; scheduler: string };
  admin: Client;
}

const network = (folder: string) => ({
  cniVersion: '1.0.0',
  name: 'tiny',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isGateway: true,
      hairpinMode: true,
      ipMasq: false,
      ipam: {
        type: 'host-local',
        dataDir: join(folder, 'addresses'),
        ranges: [[{ subnet: PODS_NETWORK }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
});

const containerdConfig = ({ folder, programs }: NodeOptions): string => `version = 3
root = "${folder}/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.blockfile", "io.containerd.snapshotter.v1.erofs", "io.containerd.nri.v1.nri", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "${PAUSE}"
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["${programs}"]
    conf_dir = "${folder}/network"
  [plugins."io.containerd.cri.v1.runtime".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
        BinaryName = "${programs}/runc"
        SystemdCgroup = false
`;

const kubeletConfig = ({ folder, engineFolder }: NodeOptions) => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  address: ADDRESS,
  healthzBindAddress: ADDRESS,
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: true },
    x509: { clientCAFile: join(engineFolder, 'pki/ca.crt') },
  },
  authorization: { mode: 'Webhook' },
  tlsCertFile: join(engineFolder, 'pki/apiserver.crt'),
  tlsPrivateKeyFile: join(engineFolder, 'pki/apiserver.key'),
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  cgroupDriver: 'cgroupfs',
  failCgroupV1: false,
  failSwapOn: false,
  resolvConf: join(folder, 'resolv.conf'),
  podLogsDir: join(folder, 'logs'),
  volumePluginDir: join(folder, 'plugins'),
  staticPodPath: '',
  evictionHard: {
    'memory.available': '50Mi',
    'nodefs.available': '1%',
    'imagefs.available': '1%',
    'nodefs.inodesFree': '1%',
  },
  imageGCHighThresholdPercent: 100,
  imageGCLowThresholdPercent: 99,
  serializeImagePulls: false,
  nodeStatusUpdateFrequency: '10s',
  shutdownGracePeriod: '0s',
});

/** Starts a program whose output is NAME.log; the log's end is said where it ends by itself. */
function start({ folder, programs }: NodeOptions, [program = '', ...args]: string[], cwd = folder): void {
  const name = program.slice(program.lastIndexOf('/') + 1);
  const log = join(folder, `${name}.log`);
  const out = openSync(log, 'w');
  const env = `PATH=${programs}:/usr/sbin:/usr/bin:/sbin:/bin`;
  const file = program.startsWith('/') ? program : join(programs, program);
  const child = spawn('env', [env, file, ...args], { cwd, stdio: ['ignore', out, out] });
  child.once('exit', (code) => {
    const end = readFileSync(log, 'utf8').split('\n').slice(-15).join('\n');
    process.stderr.write(`${name} has ended with ${code}:\n${end}\n`);
  });
  child.unref();
}

/** Runs containerd's own client. */
export async function ctr(programs: string, ...args: string[]): Promise<string> {
  const all = ['--address', '/run/containerd/containerd.sock', '--namespace', 'k8s.io', ...args];
  return (await promisify(execFile)(join(programs, 'ctr'), all)).stdout;
}

const succeeds = (work: Promise<unknown>): Promise<boolean> => work.then(() => true).catch(() => false);

/** Without the controllers of clouds, with those of nodes and volumes that a local cluster leaves out. */
const controllers = (): string[] => [
  ...controllerManagerArguments({}).filter((argument) => !argument.startsWith('--controllers=')),
  '--controllers=*,-node-ipam-controller',
];

/** Starts it; the node is Ready when the promise resolves. */
export async function startNode(options: NodeOptions): Promise<void> {
  const { folder, programs, engineFolder, images, url, tokens, admin } = options;
  for (const name of ['network', 'logs', 'plugins', 'kubelet']) mkdirSync(join(folder, name), { recursive: true });
  const write = (name: string, content: unknown) =>
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  write('network/10-tiny.conflist', network(folder));
  write('containerd.toml', containerdConfig(options));
  write('kubelet.json', kubeletConfig(options));
  write('resolv.conf', '');
  const authority = join(engineFolder, 'pki/ca.crt');
  for (const [name, token] of Object.entries(tokens)) write(`${name}.kubeconfig`, kubeconfig(url, authority, token));

  start(options, ['containerd', '--config', join(folder, 'containerd.toml')]);
  await until('containerd', () => succeeds(ctr(programs, 'version')));
  for (const image of images) await ctr(programs, 'images', 'import', image);
  start(options, [options.controllerManager, ...controllers()], engineFolder);
  const scheduler = join(folder, 'scheduler.kubeconfig');
  start(options, ['kube-scheduler', `--kubeconfig=${scheduler}`, '--secure-port=0', '--leader-elect=false']);
  start(options, [
    'kubelet',
    `--kubeconfig=${join(folder, 'kubelet.kubeconfig')}`,
    `--config=${join(folder, 'kubelet.json')}`,
    `--root-dir=${join(folder, 'kubelet')}`,
    `--cert-dir=${join(folder, 'kubelet')}`,
    `--hostname-override=${NODE}`,
    `--node-ip=${ADDRESS}`,
  ]);
  await until('the node to be Ready', async () => {
    const node = (await admin.get(NODES, { name: NODE })) as
      | { status?: { conditions?: { type: string; status: string }[] }; spec?: { taints?: unknown[] } }
      | undefined;
    const isReady = node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    return isReady && !node?.spec?.taints?.length;
  });
}
