/**
 * A local cluster as a person has it, in a temporary folder that stands for the person's home. Nothing of the real
 * user's is read or written. What starts processes is a process of its own; other commands are called in this one.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { type AuditRow, isDeed, parseAudit } from '../../cli/audit/row.ts';
import { connect } from '../../cli/connect.ts';
import { parseEnvironment } from '../../cli/env.ts';
import { run as runTiny } from '../../cli/run.ts';
import { findCondition, isTrue } from '../../lib/api/conditions.ts';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import type { Session, SessionSpec } from '../../lib/api/session.ts';
import { makeClient } from '../../lib/kube/client.ts';
import { loadKubeconfig } from '../../lib/kube/kubeconfig.ts';
import { type Client, PODS, QUESTIONS, type ResourceType, SESSIONS } from '../../lib/kube/types.ts';
import { askControl } from '../../local/control.ts';
import { SERVICES } from '../../local/functions/service.ts';
import { type GitServer, type GitServerOptions, startGitServer } from '../../local/git-server.ts';

// What is waited for comes within seconds; on a machine that does much else, later.
const LIMIT_MS = 60_000;

const ROOT = join(import.meta.dirname, '../..');
export const NAMESPACE = 'default';
export const you = 'me';

/** How a command ended. */
export interface Ran {
  code: number;
  out: string;
  err: string;
}

export interface RunOptions {
  env?: Record<string, string>;
  input?: string | Uint8Array;
  cwd?: string;
}

/** Runs a program to its end. */
export function run([program = '', ...args]: string[], { env = {}, input = '', cwd }: RunOptions = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, ...(cwd && { cwd }), stdio: ['pipe', 'pipe', 'pipe'] });
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.err += text;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 128, ...said }));
  });
}

/** Waits until `read` gives something other than `undefined`, `false` or `''`. */
export async function until<T>(what: string, read: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; ) {
    const value = await read();
    if (value) return value as NonNullable<T>;
    await setTimeout(20);
  }
  return expect.fail(`waited for ${what} in vain`);
}

/** A process that belongs to a cluster. */
export interface Process {
  parent: number;
  pid: number;
  argv: string;
  environ: string;
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
};

export class Local {
  readonly folder = mkdtempSync(join(tmpdir(), 'te-'));
  readonly data = join(this.folder, 'share/tiny');
  readonly kubeconfig = join(this.folder, 'config');
  readonly env: Record<string, string> = {
    HOME: this.folder,
    USER: you,
    XDG_DATA_HOME: join(this.folder, 'share'),
    KUBECONFIG: this.kubeconfig,
    TMPDIR: this.folder,
    PATH: [dirname(process.execPath), process.env['PATH'] ?? '/usr/bin:/bin'].join(delimiter),
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  private readonly clients = new Map<string, Client>();

  /** The command, as you. */
  tiny = (...argv: string[]): Promise<Ran> =>
    ['up', 'demo'].includes(argv[0] ?? '') ? this.run(argv) : this.call(argv);

  /** The command, as one of the people. */
  as = (person: string, ...argv: string[]): Promise<Ran> => this.call(['--context', `tiny-local-${person}`, ...argv]);

  /** The command without a process of its own. */
  private async call(argv: string[]): Promise<Ran> {
    const said = { out: '', err: '' };
    const env = parseEnvironment(this.env);
    const code = await runTiny(
      argv,
      {
        stdin: (async function* () {})(),
        stdout: { write: (text) => (said.out += text) },
        stderr: { write: (text) => (said.err += text) },
      },
      {
        program: 'tiny',
        readEnv: async () => env,
        now: () => new Date(),
        random: (count) => randomBytes(count),
        connect: (where) => connect(where, env),
        readFile: (path) => readFile(path),
        fetch: (...request) => fetch(...request),
        signal: new AbortController().signal,
      },
    );
    return { code, ...said };
  }

  /** The command in a process of its own, as a person starts it. */
  run(argv: string[], options: RunOptions = {}): Promise<Ran> {
    const { env, ...rest } = options;
    return run([process.execPath, join(ROOT, 'bin/tiny'), ...argv], { env: { ...this.env, ...env }, ...rest });
  }

  /** What it says on stdout; fails where the command does. */
  async ok(...argv: string[]): Promise<string> {
    const { code, out, err } = await this.tiny(...argv);
    expect(code, `tiny ${argv.join(' ').slice(0, 80)}: ${err}`).toBe(0);
    return out;
  }

  async up(...flags: string[]): Promise<this> {
    await this.ok('up', '--idle', '1', ...flags);
    this.clients.clear();
    return this;
  }

  async end(): Promise<void> {
    await this.tiny('down');
    const left = this.processes();
    for (const { pid } of left) process.kill(pid, 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    expect(
      left.map(({ argv }) => argv),
      'processes were left over',
    ).toEqual([]);
  }

  get pid(): number {
    return JSON.parse(read(join(this.data, 'cluster.json'))).pid;
  }

  get server(): string {
    return JSON.parse(read(join(this.data, 'cluster.json'))).kubeconfig.clusters[0].cluster.server;
  }

  /** Kills the cluster's own process, as a power cut would, and waits until it is gone. */
  async kill(): Promise<void> {
    const { pid } = this;
    process.kill(pid, 'SIGKILL');
    await until('the end of the cluster', () => read(`/proc/${pid}/cmdline`) === '');
  }

  client(person = ''): Client {
    const known = this.clients.get(person);
    if (known) return known;
    const context = person ? `tiny-local-${person}` : 'tiny-local';
    const { config } = loadKubeconfig({ files: [this.kubeconfig], context, now: Date.now });
    const client = makeClient({ ...config, fieldManager: 'test' });
    this.clients.set(person, client);
    return client;
  }

  /** Makes a Session for the rehearsal, as `person`. */
  make(name: string, spec: Partial<SessionSpec>, person = 'alice'): Promise<Stored<Session>> {
    return this.client(person).create(SESSIONS, sessionNamed(name, spec));
  }

  get<T extends KubeObject>(type: ResourceType<T>, name: string) {
    return this.client().get(type, { namespace: NAMESPACE, name });
  }

  async names(type: ResourceType, labelSelector?: string): Promise<string[]> {
    const { items } = await this.client().list(type, { namespace: NAMESPACE, ...(labelSelector && { labelSelector }) });
    return items.map(({ metadata }) => metadata.name);
  }

  /** The Session once it is as wanted. */
  session(name: string, what: string, is: (session: Stored<Session>) => unknown): Promise<Stored<Session>> {
    let last: unknown;
    return until(`Session ${name} ${what}`, async () => {
      const found = await this.get(SESSIONS, name);
      last = found?.status;
      return found && is(found) ? found : undefined;
    }).catch((error) => {
      error.message += `; its status: ${JSON.stringify(last)}`;
      throw error;
    });
  }

  materialised = (name: string) => this.session(name, 'to be materialised', (one) => isTrue(one, 'Materialised'));

  finished = (name: string) => this.session(name, 'to finish', (one) => isTrue(one, 'Finished'));

  /** The open Question of a Session. */
  question(session: string): Promise<Stored<Question>> {
    return until(`a Question of ${session}`, async () => {
      const { items } = await this.client().list(QUESTIONS, {
        namespace: NAMESPACE,
        fieldSelector: `spec.session=${session}`,
      });
      return items.find(({ spec }) => !spec.answer);
    });
  }

  /** A Question's condition Acted once it is told. */
  acted(name: string) {
    return until(`Question ${name} to be acted on`, async () => {
      const found = await this.get(QUESTIONS, name);
      return found && findCondition(found, 'Acted');
    });
  }

  async noPods(): Promise<void> {
    await until('no pod', async () => (await this.names(PODS)).length === 0);
  }

  async functionsAtZero(): Promise<void> {
    await until('no function', async () => (await askControl(this.data)).functions.length === 0);
  }

  /** The front of a function, where a trigger delivers. */
  async functionUrl(name: string): Promise<string> {
    const service = await this.client().get(SERVICES, { namespace: 'tiny-system', name });
    return service?.status?.url ?? expect.fail(`function ${name} has no front`);
  }

  /** Wakes the sweep as its schedule does; the HTTP status, once it is through. */
  async sweep(): Promise<number> {
    const headers = { 'ce-id': crypto.randomUUID(), 'ce-source': 'test', 'ce-specversion': '1.0' };
    const url = await this.functionUrl('sweep');
    const ping = { ...headers, 'ce-type': 'dev.knative.sources.ping' };
    return (await fetch(url, { method: 'POST', headers: ping })).status;
  }

  /** Delivers an event about an object as the trigger does; the HTTP status. */
  async deliver(url: string, kind: 'Session' | 'Question', name: string): Promise<number> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'ce-id': crypto.randomUUID(),
        'ce-source': 'test',
        'ce-specversion': '1.0',
        'ce-type': 'dev.knative.apiserver.ref.update',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ apiVersion: 'tiny.dev/v1alpha1', kind, namespace: NAMESPACE, name }),
    });
    return response.status;
  }

  /** All processes that run below this cluster's folder, itself included. */
  processes(): Process[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .map((pid) => ({
        pid: Number(pid),
        parent: Number(read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[1]),
        argv: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '),
        environ: read(`/proc/${pid}/environ`).replaceAll('\0', '\n'),
      }))
      .filter(({ argv, environ }) => argv.includes(this.folder) || environ.includes(this.folder));
  }

  /**
   * Processes of one Session's pod that run this program: harness, tools, rehearsal. A child that one of them has just
   * forked shows its parent's command until it becomes its own, and is none.
   */
  processesOf(session: string, program: string, all = this.processes()): Process[] {
    const alike = all.filter(
      ({ argv, environ }) => argv.includes(`${program}.cjs`) && environ.includes(`TINY_SESSION=${session}\n`),
    );
    return alike.filter(({ parent }) => !alike.some(({ pid }) => pid === parent));
  }

  /** A file of a Session's volume: `repo/…`, `home/…`, `state/…`; `''` where there is none. */
  async volume(session: string): Promise<string> {
    const claim = await this.client().get(
      { group: '', version: 'v1', kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', namespaced: true },
      { namespace: NAMESPACE, name: session },
    );
    return join(this.data, 'node/claims', claim?.metadata.uid ?? 'none');
  }

  /** The prompts that the rehearsal of a Session was given, each time it was. */
  async heard(session: string): Promise<string[]> {
    const folder = join(await this.volume(session), 'home/.rehearsal');
    const conversations = readdirSync(folder).filter((name) => name.endsWith('.json'));
    return conversations.flatMap((name) =>
      (JSON.parse(readFileSync(join(folder, name), 'utf8')).history as { by: string; text: string }[])
        .filter(({ by }) => by === 'user')
        .map(({ text }) => text),
    );
  }

  /** Who changed what, by the audit log; without the stand-in's own parts. */
  deeds(): AuditRow[] {
    const { rows } = parseAudit(readFileSync(join(this.data, 'audit.log'), 'utf8'));
    return rows.filter((row) => isDeed(row) && !row.user.startsWith('standin:'));
  }

  /** How often objects of that kind whose names begin so were made. */
  made(resource: string, name: string): number {
    return this.deeds().filter(
      (row) => row.verb === 'create' && row.code === 201 && row.resource === resource && row.name?.startsWith(name),
    ).length;
  }

  write(name: string, content: string | Uint8Array): string {
    const file = join(this.folder, name);
    writeFileSync(file, content);
    return file;
  }
}

export const sessionNamed = (name: string, spec: Partial<SessionSpec>): Session =>
  ({
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Session',
    metadata: { name, namespace: NAMESPACE },
    spec: { prompt: 'hello', agent: { name: 'rehearsal' }, ...spec },
  }) as Session;

/** A rehearsal's script as a prompt. */
export const script = (...steps: object[]): string => JSON.stringify(steps);

/** A git host on loopback with one small repository, `project.git`. */
export async function serveRepository(
  local: Local,
  options: Pick<GitServerOptions, 'credentials' | 'pushes'> = {},
): Promise<GitServer> {
  const [root, work] = [join(local.folder, 'git'), join(local.folder, 'work')];
  const git = async (...argv: string[]) => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'init.defaultBranch=main'];
    const { code, err } = await run(['git', ...identity, ...argv], { env: local.env });
    expect(code, err).toBe(0);
  };
  mkdirSync(root);
  await git('init', '--quiet', work);
  writeFileSync(join(work, 'README'), 'A project.\n');
  await git('-C', work, 'add', '.');
  await git('-C', work, 'commit', '--quiet', '-m', 'Begin');
  await git('clone', '--quiet', '--bare', work, join(root, 'project.git'));
  return startGitServer({ root, port: 0, ...options });
}
