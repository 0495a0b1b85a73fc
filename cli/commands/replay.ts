/** `tiny replay`: a stored event into a function, here or over HTTP. */
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { Failure, UsageError } from '../failure.ts';
import { parseStored, pick, type StoredEvent } from '../replay/stored.ts';
import { readBytes } from '../text/read.ts';

interface Options {
  index?: string;
  to?: string;
  dryRun?: boolean;
}

export const define: Define = (command, app) =>
  command
    .argument(
      '<event>',
      'a JSON file: {headers, body}, a list of such, or a structured CloudEvent; - is stdin; dead/NUMBER is one that could not be delivered',
    )
    .option('--index <number>', 'which event of a list, counted from 1')
    .option('--to <url>', 'send it to a function that listens there, instead of running its code here')
    .option('--dry-run', 'print what the function would do, and do nothing')
    .addHelpText(
      'after',
      `\nExamples:\n  ${app.program} replay event.json --dry-run\n  ${app.program} replay captured.json --index 3\n  ${app.program} replay dead/17\n  ${app.program} replay event.json --to http://localhost:8080`,
    )
    .action((file: string, options: Options) => replay(app, file, options));

async function replay(app: App, file: string, { index, to, dryRun }: Options): Promise<void> {
  if (app.flags.output && !dryRun)
    throw new UsageError('replay takes -o only with --dry-run', 'What is done is told in one line.');
  if (to && dryRun) throw new UsageError('--dry-run plans here; a function at --to would act');
  const event = await stored(app, file, index);
  if (to) return send(app, event, to);
  const run = await import('../replay/run.ts');
  await (dryRun ? run.dryRun(app, event) : run.replay(app, event));
}

/** From a file, or one that could not be delivered: `dead/NUMBER`. */
async function stored(app: App, file: string, index: string | undefined): Promise<StoredEvent> {
  const [, number] = /^dead\/(\d+)$/.exec(file) ?? [];
  if (number === undefined) {
    const text = Buffer.from(await readBytes(app, file)).toString('utf8');
    return pick(parseStored(text, file === '-' ? 'stdin' : file), index);
  }
  const { readDeadLetters } = await import('./events.ts');
  const found = (await readDeadLetters(app)).letters.find((letter) => letter.number === Number(number));
  if (found) return found.event;
  throw new Failure(`no dead letter has the number ${number}`, '`tiny events dead` lists those that are kept.');
}

async function send(app: App, { headers, body }: StoredEvent, to: string): Promise<void> {
  if (!URL.canParse(to) || !/^https?:$/.test(new URL(to).protocol)) {
    throw new UsageError(`--to "${to}" must be an http or https URL`);
  }
  const response = await app.fetch(to, { method: 'POST', headers, body, signal: app.signal }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Failure(`can't reach ${to}: ${cause}`, 'Does the function listen there?');
  });
  if (!response.ok) throw new Failure(`${to} answered ${response.status} ${response.statusText}`.trim());
  app.print(`${to} answered ${response.status}\n`);
}
