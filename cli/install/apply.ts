/** Carries an installation out, stage by stage, and says how it goes. */
import { setTimeout } from 'node:timers/promises';
import { applyAll } from '../../lib/install/apply.ts';
import { untilEstablished, untilInForce } from '../../lib/install/wait.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { startProgress } from '../output/progress.ts';
import { type InstallPlan, type StageObjects, SYSTEM } from './plan.ts';

/** Milliseconds; a definition is there in one or two seconds. */
const ESTABLISHED_MS = 60_000;
/** Milliseconds; up to half a minute was seen. */
const IN_FORCE_MS = 90_000;

type Wait = (ms: number) => Promise<unknown>;

/** Ctrl-C ends every wait. */
const waiting =
  (app: App): Wait =>
  (ms) =>
    setTimeout(ms, undefined, { signal: app.signal });

/** Runs `work` with a progress line, and says afterwards that it is done. */
async function step<T>(app: App, doing: string, work: () => Promise<T>): Promise<T> {
  const progress = startProgress(app.io.stderr, doing);
  try {
    return await work();
  } finally {
    progress.end();
  }
}

async function established(app: App, { objects }: StageObjects): Promise<void> {
  const { client } = await app.cluster();
  const patience = { wait: waiting(app), limit: ESTABLISHED_MS };
  const open = await step(app, 'Waiting until the resources are served', () =>
    untilEstablished(client, objects, patience),
  );
  if (!open.length) return;
  throw new Failure(
    `${open.join(' and ')} is not served after a minute`,
    `\`kubectl describe crd ${open.join(' ')}\` tells why. What was written stays; the command can be run again.`,
  );
}

async function inForce(app: App, stamps: boolean): Promise<void> {
  const { client } = await app.cluster();
  const patience = { wait: waiting(app), limit: IN_FORCE_MS };
  const doing = 'Waiting until the policies are in force (up to half a minute)';
  const open = await step(app, doing, () => untilInForce(client, { namespace: SYSTEM, stamps }, patience));
  const [first] = open;
  if (!first) return app.note('Policies: in force.');
  if (open.every(({ untried }) => untried))
    return app.note(
      `Policies: applied; you may not try them (${first.saw}). \`tiny doctor\` does, as somebody who may.`,
    );
  throw new Failure(
    `the policies are applied, and not all in force: ${open.map(({ what, saw }) => `${what}: ${saw}`).join('; ')}`,
    'Let nobody work in a project yet. `tiny doctor` looks again; the command can be run again.',
  );
}

/** Each stage is finished before the next: policies need their kinds, and functions the policies. */
export async function applyStages(app: App, { stages, features }: InstallPlan): Promise<void> {
  const { client } = await app.cluster();
  for (const stage of stages) {
    const { name, objects, folder } = stage;
    await step(app, `${name}: applying ${objects.length} objects`, () =>
      applyAll(client, objects, { wait: waiting(app) }),
    );
    app.note(`${name}: ${objects.length} objects applied.`);
    if (folder === 'crds') await established(app, stage);
    if (folder.startsWith('rbac/policies')) await inForce(app, features.stamps);
  }
  if (features.standIn) app.note('Policies: the local cluster stamps and verifies by itself.');
}
