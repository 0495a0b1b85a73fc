/**
 * Builds the engine from Go modules into the cache, once. It is made in a folder of its own and then moved, so that
 * no half of one is ever found; of two builders one waits for the other.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROGRAMS, type Say } from './binaries.ts';
import { locked } from './lock.ts';

export interface Build {
  /** The Go module. */
  module: string;
  /** Where the programs are to be; its parent is made. */
  into: string;
  /** Of Kubernetes, as in `1.37.2`. */
  version: string;
  say: Say;
  signal?: AbortSignal | undefined;
}

/** The engine can't be built; the message says what to do. */
export class NotBuilt extends Error {
  override name = 'NotBuilt';
}

const PROGRAM = 'engine';

/** What Kubernetes takes its own version from; the client's is what kubectl says. */
function linkerFlags(version: string): string {
  const [major, minor] = version.split('.');
  const values = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  const set = packages.flatMap((name) => Object.entries(values).map(([key, value]) => `-X ${name}.${key}=${value}`));
  return ['-s', '-w', ...set].join(' ');
}

/** What Go says without a line for each package: an error's end is what a person needs of it. */
const KEPT_LINES = 15;

interface Run {
  module: string;
  signal: AbortSignal | undefined;
  /** Told each line, of the output and of errors. */
  line: (line: string) => void;
}

/** Runs Go without cgo. Throws `NotBuilt` where it is not there, or fails. */
async function go(args: readonly string[], { module, signal, line }: Run): Promise<void> {
  const child = spawn('env', ['CGO_ENABLED=0', 'go', ...args], {
    cwd: module,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (text) => {
      line(text);
      said.push(text);
      if (said.length > KEPT_LINES) said.shift();
    });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('close', resolve).once('error', reject),
  );
  if (code === 127) throw new NotBuilt('Go is not installed.');
  if (code !== 0) throw new NotBuilt(`go ${args[0]} failed:\n${said.join('\n')}`);
}

/** Whether Go is there, and which. Throws `NotBuilt`. */
export async function goVersion(module: string): Promise<string> {
  let version = '';
  const line = (text: string) => {
    version = /go version go(\S+)/.exec(text)?.[1] ?? version;
  };
  await go(['version'], { module, signal: undefined, line });
  return version;
}

/** How many packages the program is made of. */
async function countPackages(build: Build): Promise<number> {
  let count = 0;
  const line = (text: string) => {
    if (text.startsWith('go: downloading')) build.say(`downloading Go modules (${text.split(' ')[2]})`);
    else count++;
  };
  await go(['list', '-deps', '.'], { module: build.module, signal: build.signal, line });
  return count;
}

async function compile(build: Build, output: string): Promise<void> {
  const { module, signal, say, version } = build;
  const all = await countPackages(build);
  let built = 0;
  say(`building (${all} packages, those built before are taken from Go's cache)`);
  const line = () => say(`building: ${++built} of ${all} packages`);
  const args = ['build', '-v', '-trimpath', '-buildvcs=false', '-ldflags', linkerFlags(version), '-o', output, '.'];
  await go(args, { module, signal, line });
}

/** Makes `into`, where the programs are links to one. Throws `NotBuilt`. */
export async function buildEngine(build: Build): Promise<void> {
  const parent = join(build.into, '..');
  mkdirSync(parent, { recursive: true });
  await locked(join(parent, 'lock'), { ...build, busy: 'another process builds it; waiting' }, async () => {
    if (existsSync(build.into)) return;
    const making = mkdtempSync(join(parent, '.making-'));
    try {
      await compile(build, join(making, PROGRAM));
      for (const name of Object.values(PROGRAMS)) symlinkSync(PROGRAM, join(making, name));
      renameSync(making, build.into);
    } finally {
      rmSync(making, { recursive: true, force: true });
    }
  });
}
