/** `tiny logs`: what a Session's containers print. */
import { Option } from 'commander';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { UsageError } from '../failure.ts';
import { safeLog } from '../output/safe.ts';
import { type LogOptions, readLog } from '../session/log.ts';

type Options = Omit<LogOptions, 'tail'> & { tail?: string };

export const define: Define = (command, app) =>
  command
    .argument('<session>', 'the name of the Session')
    .option('-f, --follow', 'go on as lines come; waits for the pod where there is none yet')
    .addOption(new Option('-c, --container <name>', 'which container').choices(['agent', 'tools']).default('agent'))
    .option('--previous', 'of the container before its last restart')
    .option('--tail <lines>', 'only the last lines')
    .addHelpText(
      'after',
      `\nExamples:\n  ${app.program} logs refactor -f\n  ${app.program} logs refactor --tail 20\n  ${app.program} logs refactor -c tools --previous`,
    )
    .action((name: string, options: Options) => logs(app, name, options));

async function logs(app: App, name: string, { tail, ...options }: Options): Promise<void> {
  if (tail !== undefined && !/^\d{1,9}$/.test(tail)) throw new UsageError(`--tail "${tail}" must be a number of lines`);
  const raw = !app.io.stdout.isTTY;
  let line = '';
  for await (const chunk of readLog(app, name, { ...options, ...(tail !== undefined && { tail: Number(tail) }) })) {
    if (raw) app.print(chunk);
    else line = printLines(app, line + chunk);
  }
  if (line) app.print(`${safeLog(line, colour(app))}\n`);
}

const colour = (app: App): boolean => app.style.red('x') !== 'x';

/** Prints the whole lines of `text`, made harmless for the terminal; what is left waits for its end. */
function printLines(app: App, text: string): string {
  const lines = text.split('\n');
  const rest = lines.pop() ?? '';
  for (const line of lines) app.print(`${safeLog(line, colour(app))}\n`);
  return rest;
}
