/**
 * Where the demo plays: a local cluster in a temporary folder, a git host with a clone of this repository, and the
 * `tiny` command as each of its people. Nothing of the user's own is touched.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeClient } from '../../lib/kube/client.ts';
import { loadKubeconfig } from '../../lib/kube/kubeconfig.ts';
import type { Client } from '../../lib/kube/types.ts';
import { type GitServer, startGitServer } from '../../local/git-server.ts';
import type { App } from '../app.ts';
import { type AuditRow, parseAudit } from '../audit/row.ts';
import { Failure } from '../failure.ts';
import { type Daemon, startDaemon, stopDaemon } from '../local/daemon.ts';
import { chosenEngine, type EngineName, readyLimit } from '../local/engine.ts';

/** Functions go to zero this long after their last event, so that the end of the story is seen in it. */
const IDLE_MS = 2500;
const END_MS = 30_000;
const STEP_MS = 50;
export const PROJECT = 'demo';
const ROOT = join(import.meta.dirname, '../..');

export interface Stage {
  app: App;
  folder: string;
  /** Of a real API server; absent: the stand-in's. */
  kubernetes?: string;
  /** Sees all; it acts for nobody. */
  client: Client;
  /** The URL of the repository to work on. */
  repository: string;
  /** Runs the command as one of the people; rejects with what it said where it fails. */
  tiny(person: string, ...argv: string[]): Promise<string>;
  /** What the audit log holds by now. */
  audit(): AuditRow[];
  /** Waits until `read` gives something. Throws `Failure` after `limit` milliseconds, default 20,000. */
  until<T>(what: string, read: () => Promise<T | undefined | false>, limit?: number): Promise<T>;
  /** Ends and removes everything; may be called again. */
  clear(): Promise<void>;
}

/** Starts the cluster and the git host. */
export async function setStage(app: App, name: EngineName): Promise<Stage> {
  const engine = await chosenEngine(app, name);
  const folder = mkdtempSync(join(tmpdir(), 'tiny-demo-'));
  const stands: { daemon?: Daemon; git?: GitServer } = {};
  const clear = async () => {
    const { daemon, git } = stands;
    delete stands.daemon;
    delete stands.git;
    if (daemon) await stopDaemon(daemon, END_MS);
    await git?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const options = { project: PROJECT, idleMs: IDLE_MS, ...(engine && { engine }) };
    stands.git = await serveRepository(folder);
    stands.daemon = await startDaemon({ folder, options, limit: readyLimit(engine), signal: app.signal });
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, JSON.stringify(stands.daemon.kubeconfig), { mode: 0o600 });
    const { config } = loadKubeconfig({ files: [kubeconfig], now: Date.now });
    return {
      app,
      folder,
      ...(engine && { kubernetes: engine.version }),
      client: makeClient({ ...config, fieldManager: 'demo' }),
      repository: `${stands.git.url}/tiny.git`,
      tiny: (person, ...argv) => tinyAs(['--kubeconfig', kubeconfig, '--context', `tiny-local-${person}`, ...argv]),
      audit: () => parseAudit(readFileSync(join(folder, 'audit.log'), 'utf8')).rows,
      until: (what, read, limit) => until(app, { what, read, limit }),
      clear,
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** A bare clone of the repository that this command is in, served over HTTP on loopback. */
async function serveRepository(folder: string): Promise<GitServer> {
  const root = join(folder, 'git');
  mkdirSync(root);
  try {
    await promisify(execFile)('git', ['clone', '--quiet', '--bare', '--', ROOT, join(root, 'tiny.git')]);
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr ?? error).trim();
    throw new Failure(
      `the demo works on a clone of ${ROOT}, and git can't make one: ${said}`,
      'It needs git, and a checkout of this repository.',
    );
  }
  return startGitServer({ root, port: 0 });
}

/** The command in a process of its own, as a person would run it. */
async function tinyAs(argv: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [join(ROOT, 'cli/main.ts'), ...argv]);
    return stdout;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new Failure(`tiny ${argv.slice(4).join(' ').slice(0, 80)} failed: ${stderr.trim()}`);
  }
}

interface Wait<T> {
  what: string;
  read: () => Promise<T | undefined | false>;
  limit?: number | undefined;
}

async function until<T>(app: App, { what, read, limit = 20_000 }: Wait<T>): Promise<T> {
  for (let waited = 0; waited < limit; waited += STEP_MS) {
    const value = await read();
    if (value) return value;
    if (app.signal.aborted) throw new Failure('interrupted');
    await setTimeout(STEP_MS);
  }
  throw new Failure(`waited ${limit / 1000} s in vain for ${what}`);
}
