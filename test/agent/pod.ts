/** A session's pod as processes: the real harness, rehearsal and connect as bundles, the tools in this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runClone } from '../../agent/clone/run.ts';
import { type JournalRecord, openJournal } from '../../agent/harness/journal.ts';
import { serveTools } from '../../agent/tools/box.ts';
import { findCondition } from '../../lib/api/conditions.ts';
import { systemClock } from '../../lib/kube/clock.ts';
import { type PretendedApi, pretendApi, SESSION_UID } from './pretended-api.ts';

/** Waits for what `look` gives. */
export async function until<T>(
  look: () => T | undefined | false,
  what: () => string = () => 'what was waited for',
  patienceMs = 25_000,
): Promise<T> {
  const end = Date.now() + patienceMs;
  for (;;) {
    const seen = look();
    if (seen) return seen;
    if (Date.now() > end) throw new Error(`waited in vain: ${what()}`);
    await sleep(10);
  }
}

export interface PodOptions {
  programs: string;
  prompt: string;
  /** Default: the prompt's own. */
  sha256?: string;
  repository?: { url: string; ref?: string; depth?: number };
  config?: Record<string, unknown>;
  agent?: Record<string, unknown>;
  /** Further variables of the agent's container. */
  env?: Record<string, string>;
  /** How long to wait for anything, milliseconds. */
  patienceMs?: number;
  gitCredentials?: string;
}

export class Pod {
  readonly api: PretendedApi;
  readonly folder: string;
  readonly #options: PodOptions;
  #harness: ChildProcess | undefined;
  #closeTools: (() => void) | undefined;
  log = '';

  constructor(options: PodOptions) {
    this.#options = options;
    this.folder = mkdtempSync(join(tmpdir(), 'pod-'));
    const { repository } = options;
    this.api = pretendApi('s', {
      prompt: options.prompt,
      agent: { name: 'rehearsal' },
      ...(repository && { repository }),
    });
    for (const name of ['run', 'work', 'home', 'state', 'tools']) mkdirSync(join(this.folder, name));
    writeFileSync(join(this.folder, 'prompt'), options.prompt);
  }

  /** Starts the tools anew, as after a kill: only what is on the volume is left. */
  async startTools(): Promise<void> {
    this.#closeTools?.();
    const state = join(this.folder, 'tools');
    const identity = { namespace: 'p', session: 's', sessionUid: SESSION_UID, run: join(this.folder, 'run'), state };
    this.#closeTools = await serveTools({
      identity,
      client: this.api.client,
      clock: systemClock,
      log: () => {},
      redact: () => (text) => text,
    });
  }

  async start(): Promise<this> {
    if (!this.#closeTools) await this.startTools();
    await this.#clone();
    const { repository, config, agent, env, sha256, programs } = this.#options;
    const at = (name: string) => join(this.folder, name);
    const child = spawn(process.execPath, [join(programs, 'harness.cjs')], {
      env: {
        PATH: process.env['PATH'],
        HOME: at('home'),
        NODE_COMPILE_CACHE: join(programs, 'cache'),
        ...env,
        TINY_NAMESPACE: 'p',
        TINY_SESSION: 's',
        TINY_SESSION_UID: SESSION_UID,
        TINY_RUN: at('run'),
        TINY_STATE: at('state'),
        TINY_WORKSPACE: at('work'),
        TINY_PROMPT: at('prompt'),
        TINY_PROMPT_SHA256: sha256 ?? createHash('sha256').update(this.#options.prompt).digest('hex'),
        TINY_HOME: programs,
        TINY_CONFIG: JSON.stringify({
          agent: { name: 'rehearsal', ...agent },
          ...(repository && { repository: { depth: 1, ...repository } }),
          ...config,
        }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.log += text;
      });
    }
    this.#harness = child;
    return this;
  }

  /** What the container that clones does, before the harness starts. */
  async #clone(): Promise<void> {
    const { repository, gitCredentials } = this.#options;
    if (!repository) return;
    const privateFolder = mkdtempSync(join(this.folder, 'git-'));
    const env = {
      namespace: 'p',
      session: 's',
      workspace: join(this.folder, 'work'),
      repository: { depth: 1, ...repository },
      gitCredentials,
      path: process.env['PATH'] ?? '',
    };
    const { signal } = new AbortController();
    await runClone(env, {
      privateFolder,
      clock: systemClock,
      signal,
      log: (line) => {
        this.log += `clone: ${line}\n`;
      },
    });
    rmSync(privateFolder, { recursive: true });
  }

  /** Ends the harness by `signal` and gives its exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#harness;
    if (!child) return null;
    this.#harness = undefined;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await new Promise((resolve) => child.once('close', resolve));
    }
    return child.exitCode;
  }

  get isRunning(): boolean {
    return this.#harness?.exitCode === null && this.#harness.signalCode === null;
  }

  /** The harness's. */
  get pid(): number | undefined {
    return this.#harness?.pid;
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    this.#closeTools?.();
    // The agent of a killed harness ends when it reads the end of its input.
    await until(() => {
      try {
        rmSync(this.folder, { recursive: true, force: true });
        return true;
      } catch {
        return false;
      }
    });
  }

  until<T>(look: () => T | undefined | false): Promise<T> {
    const told = () => `status ${JSON.stringify(this.api.session().status)}; log:\n${this.log}`;
    return until(look, told, this.#options.patienceMs);
  }

  condition(type: string) {
    return findCondition(this.api.session(), type);
  }

  async finished() {
    return this.until(() => this.condition('Finished')?.status === 'True' && this.condition('Finished'));
  }

  file(name: string): string {
    return readFileSync(join(this.folder, 'work', 'repo', name), 'utf8');
  }

  write(name: string): void {
    writeFileSync(join(this.folder, 'work', 'repo', name), '');
  }

  journal(): readonly JournalRecord[] {
    return openJournal(join(this.folder, 'state', SESSION_UID, 'journal.jsonl')).records;
  }

  /** The rehearsal's conversations, as it keeps them. */
  conversations(): { at: number; history: { by: string; text: string }[] }[] {
    const folder = join(this.folder, 'home', '.rehearsal');
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
    return files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  }

  /** Each prompt as the agent received it. */
  prompts(): string[] {
    return this.conversations().flatMap(({ history }) =>
      history.filter(({ by }) => by === 'user').map(({ text }) => text),
    );
  }

  /** What the agent said. */
  said(): string[] {
    return this.conversations().flatMap(({ history }) =>
      history.filter(({ by }) => by === 'agent').map(({ text }) => text),
    );
  }
}
