/** `npm run bench -- NAME [--json] [--runs N]`: measures; without a name, lists what can be measured. */
import { availableParallelism } from 'node:os';
import { type Asked, parseArguments, UsageError } from './arguments.ts';
import { asJson, asText } from './report.ts';
import type { Bench } from './types.ts';

interface Entry {
  /** One line: what is measured, and the ratio to what. */
  summary: string;
  load: () => Promise<Bench>;
}

const BENCHES: Record<string, Entry> = {
  'cold-start': {
    summary: 'spawn to first answer of function session; ratio to a bare node:http server (at most 2.2)',
    load: async () => (await import('./cold-start.ts')).coldStart,
  },
  github: {
    summary: 'a delivery of GitHub that starts a Session, from spawn on and warm; ratio to a bare node:http server',
    load: async () => (await import('./github.ts')).github,
  },
  materialise: {
    summary:
      'requests and time for a new Session; ratio of a burst of events to a plain loop of the same requests; --engine kubernetes: 1,000 at once (at least 0.8)',
    load: async () => (await import('./materialise.ts')).materialise,
  },
  pod: {
    summary:
      "memory and processor time of a Session's pod whose agent waits (at most 1 % of a core each); ratio of harness and tools to two bare Nodes",
    load: async () => (await import('./pod.ts')).pod,
  },
  resume: {
    summary:
      'real agents killed at random moments (--runs: kills of each): prompts sent twice (0), edits lost (0), kill to next request beyond their own start (at most 2 s)',
    load: async () => (await import('./resume.ts')).resume,
  },
  slack: {
    summary:
      'a press in Slack until it is acknowledged, from spawn on and warm, and 1,000 of them with a fake Slack; ratio of a start to a bare node:http server (at most 2.2)',
    load: async () => (await import('./slack.ts')).slack,
  },
  sweep: {
    summary:
      'a pass over 1,000 and 10,000 converged Sessions on a real API server, and 100 healed; ratio to a plain listing (at most 3)',
    load: async () => (await import('./sweep.ts')).sweep,
  },
  up: {
    summary:
      'tiny up until it is ready (at most 3 s; --engine kubernetes: 15 s), --demo (60 s), --test (120 s); ratio to a bare start of Node',
    load: async () => (await import('./up.ts')).up,
  },
  wake: {
    summary:
      'an answer to the next word of an agent that sleeps, functions from zero; ratio to a new Session up to there (at most 2)',
    load: async () => (await import('./wake.ts')).wake,
  },
};
const FAILED = 1;
const USAGE = 2;

const list = (): string =>
  [
    'npm run bench -- NAME [--json] [--runs N]',
    ...Object.entries(BENCHES).map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`),
  ].join('\n');

async function measure(name: string, bench: Bench, asked: Asked): Promise<number> {
  const result = await bench(asked);
  const machine = { cores: availableParallelism(), node: process.version.slice(1) };
  process.stdout.write(`${(asked.json ? asJson : asText)(name, machine, result)}\n`);
  return result.wrong.length > 0 ? FAILED : 0;
}

async function main(args: readonly string[]): Promise<number> {
  const asked = parseArguments(args);
  const { name } = asked;
  if (name === undefined) {
    process.stdout.write(`${list()}\n`);
    return 0;
  }
  const entry = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
  if (!entry) throw new UsageError(`there is no measurement "${name}"\n${list()}`);
  return measure(name, await entry.load(), asked);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const usage = error instanceof UsageError;
  process.stderr.write(`error: ${usage ? error.message : error instanceof Error ? error.stack : error}\n`);
  process.exitCode = usage ? USAGE : FAILED;
}
