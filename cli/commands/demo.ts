/** `tiny demo`: the whole story on a cluster of its own, which leaves nothing running. */
import { PODS } from '../../lib/kube/types.ts';
import { askControl } from '../../local/control.ts';
import type { App } from '../app.ts';
import { auditTable } from '../audit/table.ts';
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
  const steps: Played[] = [];
  const tell = json ? () => {} : (line: string) => app.print(`${line}\n`);
  const ended: { error?: unknown; audit: ReturnType<typeof deeds>; running?: Running } = { audit: [] };
  let stage: Stage | undefined;
  try {
    stage = await timed(app, {
      name: 'a local cluster starts',
      steps,
      tell,
      play: () => setStage(app, engine),
      detail: ({ kubernetes }) => engineInWords(kubernetes),
    });
    for (const { name, play } of STORY) {
      const on = stage;
      await timed(app, { name, steps, tell, play: () => play(on), detail: (said) => said });
    }
    ended.running = await running(stage);
  } catch (error) {
    ended.error = error;
  }
  if (stage) ended.audit = deeds(stage);
  await stage?.clear();
  const seconds = (app.now().getTime() - began) / 1000;
  if (json) app.print(`${JSON.stringify(report(ended, steps, seconds), null, 2)}\n`);
  if (ended.error) throw ended.error;
  if (!json) conclude(app, ended, seconds);
}

interface Running {
  pods: number;
  functions: number;
}

async function running({ client, folder }: Stage): Promise<Running> {
  const [pods, { functions }] = await Promise.all([client.list(PODS), askControl(folder)]);
  const counted = { pods: pods.items.length, functions: functions.length };
  if (counted.pods + counted.functions > 0)
    throw new Failure(`still running: ${counted.pods} pods, ${counted.functions} functions`);
  return counted;
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

type Ended = { error?: unknown; audit: ReturnType<typeof deeds>; running?: Running };

const report = ({ error, audit, running }: Ended, steps: Played[], seconds: number) => ({
  ok: !error,
  seconds,
  steps,
  audit: audit.map(({ verb, resource, name, user, impersonatedUser }) => ({
    verb,
    resource,
    name,
    user,
    impersonatedUser,
  })),
  running,
});

function conclude(app: App, { audit, running }: Ended, seconds: number): void {
  app.print(`\nWho did what, by the audit log:\n\n${auditTable(audit, { now: app.now(), style: app.style })}\n`);
  app.print(`running: ${running?.pods} pods, ${running?.functions} functions\n`);
  app.note(
    `The demo took ${seconds.toFixed(1)} s. The agents were rehearsals: scripts without a model. Next: ${app.program} up`,
  );
}
