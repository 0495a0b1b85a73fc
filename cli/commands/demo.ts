/** `tiny demo`: the whole story on a cluster of its own, which leaves nothing running. */
import { PODS } from '../../lib/kube/types.ts';
import { askControl } from '../../local/control.ts';
import type { App } from '../app.ts';
import type { AuditRow } from '../audit/row.ts';
import { auditTable, resultOf } from '../audit/table.ts';
import type { Define } from '../define.ts';
import { type Stage, setStage } from '../demo/stage.ts';
import { deeds, STORY } from '../demo/story.ts';
import { Failure } from '../failure.ts';
import { type EngineName, engineInWords, engineOption } from '../local/engine.ts';
import { withProgress } from '../output/progress.ts';

interface Played {
  name: string;
  ok: boolean;
  ms: number;
}

export const define: Define = (command, app) =>
  command
    .addOption(engineOption())
    .option('--json', 'print one object: ok, seconds, steps, audit, running')
    .addHelpText(
      'after',
      `\nExamples:\n  ${app.program} demo\n  ${app.program} demo --engine kubernetes\n  ${app.program} demo --json`,
    )
    .action((options: Options) => demo(app, options));

interface Options {
  engine: EngineName;
  json?: boolean;
}

async function demo(app: App, { engine, json }: Options): Promise<void> {
  const began = app.now().getTime();
  const ended: Ended = { steps: [], audit: [] };
  const tell = json ? () => {} : (line: string) => app.print(`${line}\n`);
  const set: { stage?: Stage } = {};
  await play(app, { engine, ended, tell, set }).catch((error: unknown) => {
    ended.error = error;
  });
  await leave(set.stage, ended).catch((error: unknown) => {
    ended.error ??= error;
  });
  const seconds = (app.now().getTime() - began) / 1000;
  if (json) app.print(`${JSON.stringify(report(ended, seconds), null, 2)}\n`);
  if (ended.error) throw ended.error;
  if (!json) conclude(app, ended, seconds);
}

interface Playing {
  engine: EngineName;
  ended: Ended;
  tell: (line: string) => void;
  /** Where the stage is put as soon as it stands, so that it is cleared whatever comes. */
  set: { stage?: Stage };
}

async function play(app: App, { engine, ended: { steps }, tell, set }: Playing): Promise<void> {
  const stage = await timed(app, {
    name: 'a local cluster starts',
    steps,
    tell,
    play: () => setStage(app, engine),
    detail: ({ kubernetes }) => engineInWords(kubernetes),
  });
  set.stage = stage;
  for (const step of STORY) {
    await timed(app, { name: step.name, steps, tell, play: () => step.play(stage), detail: (said) => said });
  }
}

/** Counts what runs, reads the audit log and clears the stage, each whether or not the others could be done. */
async function leave(stage: Stage | undefined, ended: Ended): Promise<void> {
  if (!stage) return;
  const failed: unknown[] = [];
  const attempt = (act: () => Promise<void>) => act().catch((error: unknown) => failed.push(error));
  await attempt(async () => {
    ended.running = await running(stage);
  });
  await attempt(async () => {
    ended.audit = deeds(stage);
  });
  await attempt(() => stage.clear());
  if (failed.length) throw failed[0];
  const { pods, functions } = ended.running ?? { pods: 0, functions: 0 };
  if (pods + functions > 0) throw new Failure(`still running: ${pods} pods, ${functions} functions`);
}

interface Running {
  pods: number;
  functions: number;
}

async function running({ client, folder }: Stage): Promise<Running> {
  const [pods, { functions }] = await Promise.all([client.list(PODS), askControl(folder)]);
  return { pods: pods.items.length, functions: functions.length };
}

interface Timed<T> {
  name: string;
  steps: Played[];
  tell: (line: string) => void;
  play: () => Promise<T>;
  detail: (value: T) => string;
}

async function timed<T>(app: App, { name, steps, tell, play, detail }: Timed<T>): Promise<T> {
  const began = app.now().getTime();
  const step: Played = { name, ok: false, ms: 0 };
  steps.push(step);
  try {
    const value = await withProgress(app.io.stderr, name, play);
    step.ok = true;
    step.ms = app.now().getTime() - began;
    tell(`${app.style.green('✓')} ${name} ${app.style.dim(`(${step.ms} ms)`)}`);
    tell(`  ${app.style.dim(detail(value))}`);
    return value;
  } catch (error) {
    step.ms = app.now().getTime() - began;
    tell(`${app.style.red('✗')} ${name}`);
    throw error;
  }
}

/** How the demo went, as far as it went. */
interface Ended {
  steps: Played[];
  error?: unknown;
  audit: AuditRow[];
  running?: Running;
}

/** Each key is always there: `null` is what there is none of. */
const report = ({ error, audit, running, steps }: Ended, seconds: number) => ({
  ok: !error,
  seconds,
  steps,
  audit: audit.map((row) => ({
    verb: row.verb,
    resource: row.resource,
    name: row.name ?? null,
    user: row.user,
    impersonatedUser: row.impersonatedUser ?? null,
    code: row.code,
    refused: resultOf(row) === 'refused',
  })),
  running: running ?? null,
});

function conclude(app: App, { audit, running }: Ended, seconds: number): void {
  app.print(`\nWho did what, by the audit log:\n\n${auditTable(audit, { now: app.now(), style: app.style })}\n`);
  app.print(`running: ${running?.pods} pods, ${running?.functions} functions\n`);
  app.note(
    `The demo took ${seconds.toFixed(1)} s. The agents were rehearsals: scripts without a model. Next: ${app.program} up`,
  );
}
