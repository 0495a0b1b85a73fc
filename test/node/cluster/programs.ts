/**
 * The programs of a real node, built once from Go modules into the cache: kubelet and scheduler (`engine/node`),
 * containerd, runc and the network's plugins (`engine/containers`). Only the tests on a real node need them.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpacked } from '../../../build/images/debian.ts';
import { builtVersion } from '../../../local/engine/binaries.ts';

export interface Making {
  /** The project's own folder. */
  root: string;
  /** `$XDG_CACHE_HOME/tiny`. */
  cache: string;
  say: (line: string) => void;
}

const CONTAINERS = [
  'github.com/containerd/containerd/v2/cmd/containerd',
  'github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2',
  'github.com/containerd/containerd/v2/cmd/ctr',
  'github.com/containernetworking/plugins/plugins/ipam/host-local',
  'github.com/containernetworking/plugins/plugins/main/bridge',
  'github.com/containernetworking/plugins/plugins/main/loopback',
  './pause',
];

/** Where they are: a folder for each state of the modules. */
export function nodeFolder({ root, cache }: Making): string {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'node/main.go', 'containers/go.mod', 'containers/pause/main.go'])
    hash.update(readFileSync(join(root, 'engine', file)));
  return join(cache, 'node', `v${builtVersion(root)}-${hash.digest('hex').slice(0, 12)}`);
}

/** The Go modules are not in Go's cache and can't be fetched. */
export class NoModules extends Error {
  override name = 'NoModules';
}

async function download(module: string): Promise<void> {
  try {
    await promisify(execFile)('go', ['mod', 'download'], { cwd: module, maxBuffer: 1 << 26 });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new NoModules(`the Go modules of ${module} can't be fetched: ${stderr.trim() || error}`);
  }
}

interface Go {
  module: string;
  into: string;
  packages: string[];
  env?: Record<string, string>;
  flags?: string[];
}

/** Throws with what Go says. */
async function go({ module, into, packages, env = {}, flags = [] }: Go): Promise<void> {
  const variables = Object.entries({ CGO_ENABLED: '0', ...env }).map((pair) => pair.join('='));
  const args = ['build', '-trimpath', '-buildvcs=false', ...flags, '-o', into, ...packages];
  await promisify(execFile)('env', [...variables, 'nice', '-n', '10', 'go', ...args], {
    cwd: module,
    maxBuffer: 1 << 26,
  });
}

/** runc sets up seccomp by a C library: its headers are the machine's, or fetched and used from the cache. */
async function seccomp({ cache }: Making, scratch: string): Promise<Record<string, string>> {
  const isHere = await promisify(execFile)('pkg-config', ['--exists', 'libseccomp']).then(
    () => true,
    () => false,
  );
  if (isHere) return {};
  const usr = join(unpacked('libseccomp-dev', cache), 'usr');
  const library = join(usr, 'lib/x86_64-linux-gnu');
  const description = `Name: libseccomp\nDescription: libseccomp\nVersion: 2.5\nCflags: -I${usr}/include\nLibs: ${library}/libseccomp.a\n`;
  writeFileSync(join(scratch, 'libseccomp.pc'), description);
  return {
    PKG_CONFIG_PATH: scratch,
    CGO_CFLAGS: `-I${usr}/include`,
    CGO_LDFLAGS: `${library}/libseccomp.a`,
    CGO_LDFLAGS_ALLOW: '.*',
  };
}

function kubernetesFlags(version: string): string {
  const [major, minor] = version.split('.');
  const values = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  const set = packages.flatMap((name) => Object.entries(values).map(([key, value]) => `-X ${name}.${key}=${value}`));
  return `-ldflags=${['-s', '-w', ...set].join(' ')}`;
}

async function build(making: Making, into: string): Promise<void> {
  const { root, say } = making;
  const containers = join(root, 'engine/containers');
  const strip = ['-ldflags=-s -w'];
  mkdirSync(join(into, 'go'));
  say('fetching Go modules');
  for (const module of [containers, join(root, 'engine')]) await download(module);
  say('building containerd and the network plugins (two minutes on two cores)');
  await go({ module: containers, into: `${into}/`, packages: CONTAINERS, flags: strip });
  say('building runc');
  const env = { CGO_ENABLED: '1', ...(await seccomp(making, join(into, 'go'))) };
  const runc = { module: containers, into: `${into}/`, packages: ['github.com/opencontainers/runc'], env };
  await go({ ...runc, flags: ['-tags=seccomp', ...strip] });
  say('building kubelet and kube-scheduler (five minutes on two cores, seconds from Go’s cache)');
  const flags = [kubernetesFlags(builtVersion(root))];
  await go({ module: join(root, 'engine'), into: join(into, 'kubernetes-node'), packages: ['./node'], flags });
  for (const name of ['kubelet', 'kube-scheduler']) symlinkSync('kubernetes-node', join(into, name));
  rmSync(join(into, 'go'), { recursive: true });
}

/** The folder with the programs, built where need be. Throws with what Go or apt says. */
export async function nodePrograms(making: Making): Promise<string> {
  const folder = nodeFolder(making);
  if (existsSync(folder)) return folder;
  mkdirSync(join(folder, '..'), { recursive: true });
  const into = mkdtempSync(join(folder, '../.making-'));
  try {
    await build(making, into);
    renameSync(into, folder);
  } finally {
    rmSync(into, { recursive: true, force: true });
  }
  return folder;
}
