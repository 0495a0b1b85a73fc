/**
 * Compiles the functions ahead: each runs once, meets an event, and ends. What V8 has compiled by then fits the same
 * Node on the same kind of processor; elsewhere it is not taken, and a start is slower and nothing else.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheOf, unsealed } from '../functions/load.ts';
import { githubEnv, newLabel } from './github-stage.ts';
import { type Ask, EMPTY, startProgram } from './program.ts';
import { newPress, slackEnv } from './slack-stage.ts';
import type { Stage } from './stage.ts';

const RECORD = join(import.meta.dirname, 'record.ts');

const bundleOf = (root: string, name: string): string => join(root, 'dist/functions', `${name}.bundle.cjs`);

function isCompiled(bundle: string): boolean {
  const cache = cacheOf(bundle);
  return existsSync(cache) && unsealed(readFileSync(bundle), readFileSync(cache)) !== undefined;
}

const QUESTION = {
  apiVersion: 'tiny.dev/v1alpha1',
  kind: 'Question',
  metadata: { name: 'first', namespace: 'default' },
};

/** What wakes each function: a Session is made, a Question need not be there, a schedule says nothing, a press is on a Question, a label on an issue. */
const EVENTS: Record<string, (stage: Stage) => Ask | Promise<Ask>> = {
  session: async (stage) => stage.eventOf(await stage.newSession('first')),
  question: (stage) => stage.eventOf(QUESTION),
  'dead-letters': (stage) => stage.eventOf(QUESTION),
  sweep: () => ({ headers: { 'ce-type': 'dev.knative.sources.ping' }, body: '' }),
  slack: (stage) => newPress(stage, 'first'),
  github: () => newLabel(1),
};

/** What a function finds in its environment besides. */
const ENVIRONMENT: Record<string, (folder: string) => Record<string, string> | Promise<Record<string, string>>> = {
  slack: slackEnv,
  github: githubEnv,
};

async function compile(root: string, name: string, stage: Stage): Promise<void> {
  const event = await EVENTS[name]?.(stage);
  if (!event) throw new Error(`no event is known that wakes function ${name}`);
  const env = { ...stage.envOf(name), ...(await ENVIRONMENT[name]?.(stage.folder)) };
  const program = await startProgram([RECORD, bundleOf(root, name)], env);
  try {
    const answer = await program.ask(EMPTY).then(() => program.ask(event));
    if (answer < 200 || answer > 202) throw new Error(`function ${name} answered an event with ${answer}`);
  } finally {
    await program.end();
  }
}

/** Makes the cache of each function that has none. `root` is the project's own folder. */
export async function compileAhead(root: string, names: readonly string[]): Promise<void> {
  const missing = names.filter((name) => !isCompiled(bundleOf(root, name)));
  if (missing.length === 0) return;
  // Loads the whole stand-in, which most builds have no need of.
  const { setStage } = await import('./stage.ts');
  const stage = await setStage(root);
  try {
    for (const name of missing) await compile(root, name, stage);
  } finally {
    await stage.close();
  }
}
