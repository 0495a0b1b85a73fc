/** What each step of a script does. A step that was begun before a kill finds in `begun` how far it came. */
import { appendFileSync, existsSync, mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { PlanEntry, RequestPermissionResponse, SessionUpdate } from '@agentclientprotocol/sdk';
import type { Clock } from '../../lib/kube/clock.ts';
import { cutStart } from '../cut.ts';
import { REASON } from '../reason.ts';
import { commitAll, type Ran, runCommand } from './commands.ts';
import type { McpTools } from './mcp-tools.ts';
import type { Step } from './script.ts';
import type { State } from './state.ts';

/** What a step works with. */
export interface Stage {
  cwd: string;
  env: Record<string, string>;
  signal: AbortSignal;
  clock: Clock;
  tools: McpTools;
  /** What the current step has done, kept when `keep` returns. */
  begun(): NonNullable<State['begun']>;
  keep(begun: NonNullable<State['begun']>): void;
  say(text: string): Promise<void>;
  update(update: SessionUpdate): Promise<void>;
  permission(call: { id: string; title: string; command: string }): Promise<RequestPermissionResponse>;
  /** So much was used; told at the end of the turn. */
  used(tokens: { inputTokens?: number | undefined; outputTokens?: number | undefined }): void;
  /** Ends a process by SIGKILL and never returns. */
  crash(what: true | 'harness'): Promise<never>;
  /** Names the tool call of this step, the same at each attempt. */
  callId: string;
}

type Names = Step extends infer One ? (One extends One ? keyof One : never) : never;
type Part<Name extends Names> = Extract<Step, Record<Name, unknown>>[Name];
type Acts = { [Name in Names]: (part: Part<Name>, stage: Stage) => Promise<void> };

const ACTS: Acts = {
  say: (text, { say }) => say(text),
  status: async (text, { tools, signal }) => {
    await tools.call('set_status', { text }, signal);
  },
  edit: (edit, stage) => asCall(stage, { title: `edit ${edit.file}`, kind: 'edit' }, () => editFile(edit, stage)),
  run: (command, stage) => runShell(command, stage),
  commit: (message, stage) =>
    asCall(stage, { title: `commit: ${message}`, kind: 'execute' }, () => commitAll(message, stage)),
  permit: async ({ title, command }, stage) => {
    if (await isAllowed(title, command, stage)) await runShell(command, stage);
    else await stage.say(`denied: ${title}${stage.begun().why ?? ''}`);
  },
  ask: async ({ into, ...input }, { tools, signal, say, cwd }) => {
    const { text } = await tools.call('ask', input, signal);
    if (into !== undefined) writeInto(inside(cwd, into), `${text}\n`);
    await say(`answer: ${text}`);
  },
  spawn: async (input, { tools, signal, say }) => {
    const { text, refused } = await tools.call('spawn', input, signal);
    await say(refused ? `not spawned: ${text}` : `spawned: ${text}`);
  },
  apply: async (input, { tools, signal, say }) => {
    const { text, refused } = await tools.call('apply', input, signal);
    await say(refused ? `not applied: ${text}` : `applied: ${text}`);
  },
  push: async (_, { tools, signal, say }) => say((await tools.call('push', {}, signal)).text),
  pullRequest: async (input, { tools, signal, say }) =>
    say((await tools.call('open_pull_request', input, signal)).text),
  use: async ({ cost: amount, ...tokens }, { used, update }) => {
    used(tokens);
    if (amount === undefined) return;
    await update({ sessionUpdate: 'usage_update', used: 0, size: 0, cost: { amount, currency: 'USD' } });
  },
  plan: ({ steps, done }, { update }) => update({ sessionUpdate: 'plan', entries: steps.map(planEntry(done)) }),
  wait: (seconds, { clock, signal }) => clock.sleep(seconds * 1000, signal),
  waitFor: async ({ file }, { cwd, clock, signal }) => {
    while (!existsSync(inside(cwd, file))) await clock.sleep(50, signal);
  },
  crash: async (what, { begun, keep, crash }) => {
    if (begun().crashed) return;
    keep({ crashed: true });
    await crash(what);
  },
};

const planEntry =
  (done: number) =>
  (content: string, at: number): PlanEntry => ({
    content,
    priority: 'medium',
    status: at < done ? 'completed' : at === done ? 'in_progress' : 'pending',
  });

/** Does the step. Throws what can't be done at all. */
export function act(step: Step, stage: Stage): Promise<void> {
  const [name, part] = Object.entries(step)[0] as [Names, never];
  return ACTS[name](part, stage);
}

/** A file of the repository; a path that leads out of it is refused. */
function inside(cwd: string, file: string): string {
  const path = resolve(cwd, file);
  if (relative(cwd, path).startsWith('..')) throw new Error(`the script names ${file}, which is not in the repository`);
  return path;
}

function writeInto(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Appending starts from the size that the file had when the step was begun. */
async function editFile(edit: Part<'edit'>, { cwd, begun, keep }: Stage): Promise<Ran> {
  const path = inside(cwd, edit.file);
  if ('text' in edit) {
    writeInto(path, edit.text);
  } else {
    const size = begun().size ?? (existsSync(path) ? statSync(path).size : 0);
    keep({ size });
    if (existsSync(path)) truncateSync(path, size);
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, edit.append);
  }
  return { code: 0, output: '' };
}

const runShell = (command: string, stage: Stage): Promise<void> =>
  asCall(stage, { title: command, kind: 'execute' }, () => runCommand(['/bin/sh', '-c', command], stage));

async function isAllowed(title: string, command: string, { begun, keep, permission, callId }: Stage): Promise<boolean> {
  const known = begun().allowed;
  if (known !== undefined) return known;
  const { outcome, _meta } = await permission({ id: callId, title, command });
  const allowed = outcome.outcome === 'selected' && outcome.optionId.startsWith('allow');
  const why = _meta?.[REASON];
  keep({ allowed, ...(typeof why === 'string' && { why: ` (${why})` }) });
  return allowed;
}

/** Shows the act as a tool call. */
async function asCall(
  { update, say, callId }: Stage,
  { title, kind }: { title: string; kind: 'edit' | 'execute' },
  run: () => Promise<Ran>,
): Promise<void> {
  await update({ sessionUpdate: 'tool_call', toolCallId: callId, title, kind, status: 'in_progress' });
  const { code, output } = await run();
  const status = code === 0 ? 'completed' : 'failed';
  const content = output === '' ? [] : [{ type: 'content' as const, content: { type: 'text' as const, text: output } }];
  await update({ sessionUpdate: 'tool_call_update', toolCallId: callId, status, content });
  if (code !== 0) await say(`"${title}" ended with ${code ?? 'a signal'}: ${cutStart(output.trim(), 500)}`);
}
