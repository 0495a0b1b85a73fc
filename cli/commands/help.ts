/** `tiny help`: the overview, or one command's page. Its own, because a command's options are loaded only when it is named. */
import type { Command } from 'commander';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { UsageError } from '../failure.ts';
import { didYouMean } from '../text/near.ts';

export const define: Define = (command, app) =>
  command.argument('[command]', 'the command to tell about').action((name?: string) => help(app, command.parent, name));

async function help(app: App, program: Command | null, name: string | undefined): Promise<void> {
  if (!program || name === undefined) return program?.outputHelp();
  const names = program.commands.flatMap((one) => [one.name(), ...one.aliases()]);
  const found = program.commands.find((one) => one.name() === name || one.aliases().includes(name));
  if (!found) throw new UsageError(`there is no command "${name}"`, didYouMean(name, names));
  await app.complete(found);
  found.outputHelp();
}
