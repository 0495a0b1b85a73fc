/**
 * `npm run test:node`: makes sure that the programs and images are there, and runs the suites of this folder in a
 * sandbox. Where that can't be, it says loudly why and counts as one skipped test. Arguments are vitest's.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoPackage } from '../../build/images/debian.ts';
import { copied } from '../../build/images/libraries.ts';
import { archive, layer } from '../../build/images/oci.ts';
import { packImages } from '../../build/images.ts';
import { findEngine, NoEngine } from '../../local/engine/find.ts';
import { readEnvironment } from '../../local/env.ts';
import { NoModules, nodePrograms } from './cluster/programs.ts';

const ROOT = join(import.meta.dirname, '../..');
const NEEDED = ['unshare', 'setpriv', 'ip', 'mount', 'git', 'go', 'gcc', 'pkg-config', 'dpkg', 'ldd'];

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const succeeds = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0;

const CONTROLLERS = ['cpuset', 'cpu', 'memory', 'pids'];

function cgroupObstacle(): string | undefined {
  const top = '/sys/fs/cgroup';
  if (!existsSync(join(top, 'cgroup.controllers')))
    return existsSync(join(top, 'memory')) ? undefined : 'there are no cgroups';
  const given = readFileSync(join(top, 'cgroup.subtree_control'), 'utf8').split(/\s+/);
  const lacking = CONTROLLERS.filter((name) => !given.includes(name));
  return lacking.length ? `the cgroups below ${top} are not given ${lacking.join(', ')}` : undefined;
}

/** Why no node can run here; `undefined` where one can. */
function obstacle(): string | undefined {
  if (process.platform !== 'linux') return `this is ${process.platform}, and a node is Linux`;
  if (process.getuid?.() !== 0) return 'it needs root';
  const missing = NEEDED.filter((name) => !succeeds('sh', '-c', `command -v ${name}`));
  if (missing.length > 0) return `this machine lacks ${missing.join(', ')}`;
  const namespaces = ['--mount', '--net', '--uts', '--ipc', '--cgroup', '--pid', '--fork'];
  if (!succeeds('unshare', ...namespaces, 'mount', '-t', 'proc', 'proc', '/proc')) return 'it may not make namespaces';
  if (!succeeds('grep', '-qw', 'overlay', '/proc/filesystems') && !succeeds('modprobe', 'overlay'))
    return 'the kernel has no overlay file system';
  return cgroupObstacle();
}

function packPause(programs: string, file: string): string {
  const program = copied(join(programs, 'pause'), 'pause');
  const config = { Entrypoint: ['/pause'], Env: [], User: '65535:65535', WorkingDir: '/', Labels: {} };
  writeFileSync(file, archive({ name: 'tiny.dev/pause:1', layers: [layer([program])], config }).bytes);
  return file;
}

/** Says a reporter's closing line for a suite that is not run at all, where one is asked for. */
function skip(why: string): void {
  const bar = '='.repeat(100);
  say(`${bar}\nSKIPPED: the tests on a real node are not run, because ${why}.\n${bar}`);
  const report = process.argv.find((argument) => argument.startsWith('--outputFile.json='))?.split('=')[1];
  const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 1, testResults: [] };
  if (report) writeFileSync(report, JSON.stringify(none));
}

async function run(folder: string): Promise<number> {
  const { cache, assets, path } = readEnvironment();
  const began = Date.now();
  const took = (what: string) => say(`${what} after ${((Date.now() - began) / 1000).toFixed(1)} s`);
  await findEngine({ root: ROOT, cache, path, say: () => undefined, ...(assets && { assets }) });
  took('the engine is there');
  const programs = await nodePrograms({ root: ROOT, cache, say });
  took('the programs of a node are there');
  const images = [...(await packImages(ROOT, join(folder, 'images'))), packPause(programs, join(folder, 'pause.tar'))];
  took('the images are packed');
  writeFileSync(join(folder, 'given.json'), JSON.stringify({ folder, programs, images }));
  const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'vitest.node.config.ts'];
  const command = [process.execPath, ...vitest, ...process.argv.slice(2)];
  const sandbox = join(import.meta.dirname, 'cluster/sandbox.sh');
  const child = spawn('env', [`TINY_NODE_TEST=${folder}`, sandbox, folder, ...command], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** What is not there and can't be had is no failure of ours; that it does not compile is. */
const isMissing = (error: unknown): error is Error =>
  error instanceof NoEngine || error instanceof NoPackage || error instanceof NoModules;

const why = obstacle();
if (why) skip(why);
else {
  const folder = mkdtempSync(join(tmpdir(), 'tn-'));
  try {
    process.exitCode = await run(folder);
  } catch (error) {
    if (!isMissing(error)) throw error;
    skip(error.message);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
