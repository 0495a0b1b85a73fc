/** `tiny logs`: what was said and done in a Session, whether its pod runs or not. */
import { Option } from 'commander';
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { SESSIONS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import { watchQuestions } from '../attach/questions.ts';
import type { Define } from '../define.ts';
import { UsageError } from '../failure.ts';
import { safeLog } from '../output/safe.ts';
import { printOpenQuestions, printQuestion } from '../question/open.ts';
import { find } from '../session/find.ts';
import { readLog } from '../session/log.ts';
import { follow } from '../transcript/follow.ts';
import { type Item, lastOf, linesOf, news, type Seen } from '../transcript/items.ts';
import { makePrinter, type Printer } from '../transcript/print.ts';
import { parseSince } from '../transcript/since.ts';
import { linesOfVolume, transcriptNow } from '../transcript/source.ts';

interface Options {
  follow?: boolean;
  container: string;
  previous?: boolean;
  tail?: string;
  since?: string;
  raw?: boolean;
  full?: boolean;
  whole?: boolean;
}

const help = (program: string) => `
Examples:
  ${program} logs refactor -f
  ${program} logs refactor --tail 20 --full
  ${program} logs refactor --raw | jq 'select(.type == "call")'
  ${program} logs refactor -c tools --previous

Of a Session that sleeps or has finished, a pod is made in your name that reads the volume, and is removed again.
Then you need the right to create pods; docs/logs.md tells more.`;

export const define: Define = (command, app) =>
  command
    .argument('<session>', 'the name of the Session')
    .option('-f, --follow', 'go on as it goes on, through restarts and sleep, until it has finished')
    .option('--raw', 'print the JSON lines of the transcript')
    .option('--full', 'show thoughts, inputs, outputs and diffs whole')
    .option('--tail <entries>', 'only the last entries')
    .option('--since <when>', 'only what is newer than a duration such as 10m, or a time')
    .option('--whole', 'read the volume, though a pod runs: its log holds only so much of what was before')
    .addOption(
      new Option('-c, --container <name>', 'which container; of the tools, its plain log')
        .choices(['agent', 'tools'])
        .default('agent'),
    )
    .option('--previous', 'of the container before its last restart')
    .addHelpText('after', help(app.program))
    .action((name: string, options: Options) => logs(app, name, options));

/** How many at the end; `undefined` for all. */
function count({ tail }: Options): number | undefined {
  if (tail === undefined) return undefined;
  if (!/^\d{1,9}$/.test(tail)) throw new UsageError(`--tail "${tail}" must be a number of entries`);
  return Number(tail);
}

async function logs(app: App, given: string, options: Options): Promise<void> {
  const tail = count(options);
  const isNewEnough = parseSince(options.since, app.now());
  if (options.container === 'tools') return plain(app, given, options);
  const { client, namespace } = await app.cluster();
  const session = await find(client, { type: SESSIONS, namespace, name: given });
  const { raw = false, full = false } = options;
  const printer = makePrinter(app, { raw, full });
  const seen: Seen = { lastSeq: 0 };
  const print = (item: Item) => isNewEnough(item) && printer.print(item);
  try {
    await printNow(app, session, { options, tail, seen, print });
    if (options.follow) await printOn(app, session, { seen, print, raw });
  } finally {
    printer.end();
  }
  if (!options.follow && !raw) await printOpenQuestions(app, session);
}

/** What comes, and beside the transcript each Question that opens, whole: of what the tools ask, it holds nothing. */
async function printOn(
  app: App,
  session: Stored<Session>,
  { seen, print, raw }: Pick<Now, 'seen' | 'print'> & { raw: boolean },
): Promise<void> {
  const over = new AbortController();
  const besides = Object.assign(Object.create(app) as App, { signal: AbortSignal.any([app.signal, over.signal]) });
  if (!raw) tellQuestions(besides, session.metadata.name);
  try {
    for await (const item of follow(app, session, { seen, untilFinished: true })) print(item);
  } finally {
    over.abort();
  }
}

function tellQuestions(app: App, name: string): void {
  const waiting = watchQuestions(app, name, () => {
    const question = waiting.first();
    if (question) printQuestion(app, question);
  });
}

interface Now {
  options: Options;
  tail: number | undefined;
  seen: Seen;
  print: Printer['print'];
}

/** What is there; where it is followed, only if the end of it is asked for, since following begins with all of it. */
async function printNow(app: App, session: Stored<Session>, { options, tail, seen, print }: Now): Promise<void> {
  if (options.follow && tail === undefined && !options.whole) return;
  const items = itemsNow(app, session, { options, seen });
  if (tail === undefined) for await (const item of items) print(item);
  else for (const item of await lastOf(items, tail)) print(item);
}

function itemsNow(app: App, session: Stored<Session>, { options, seen }: Pick<Now, 'options' | 'seen'>) {
  const { name } = session.metadata;
  if (options.previous) return news(linesOf(readLog(app, name, { container: 'agent', previous: true })), seen);
  if (options.whole) return news(linesOfVolume(app, session, 'transcript'), seen);
  return transcriptNow(app, session, seen);
}

/** The tools' log as it is; a terminal gets nothing that it would obey but colours. */
async function plain(app: App, name: string, { follow: goesOn, previous, tail }: Options): Promise<void> {
  const asked = { container: 'tools', follow: goesOn, previous, ...(tail !== undefined && { tail: Number(tail) }) };
  const chunks = readLog(app, name, asked);
  if (!app.io.stdout.isTTY) for await (const chunk of chunks) app.print(chunk);
  else for await (const line of linesOf(chunks)) app.print(`${safeLog(line, app.style.red('x') !== 'x')}\n`);
}
