/** The command tree as data, from which each shell's script is written: so a script can't fall behind the command. */
import type { Command, Option } from 'commander';
import type { App } from '../app.ts';

/**
 * What a name of an object may be. A shell expands what it is given to complete, and what a cluster answers is not to
 * be trusted with that: lines of any other shape are left out before a shell sees them.
 */
export const NAME_FILTER = "LC_ALL=C grep -xE '[a-z0-9][a-z0-9.@-]*'";

export interface OptionNode {
  /** With their dashes: `-n`, `--namespace`. */
  flags: string[];
  takesValue: boolean;
  choices: readonly string[];
  summary: string;
}

export interface CommandNode {
  names: string[];
  summary: string;
  options: OptionNode[];
  /** What the arguments are, where the cluster or a list can tell. */
  completes: 'session' | 'question' | readonly string[];
}

export interface Tree {
  commands: CommandNode[];
  /** Of every command. */
  options: OptionNode[];
}

const toOption = ({ short, long, required, optional, argChoices, description }: Option): OptionNode => ({
  flags: [short, long].filter((flag) => flag !== undefined),
  takesValue: required || optional,
  choices: argChoices ?? [],
  summary: description,
});

/** Arguments that are called `session`, `question`, `name` or `command` are names of such. */
function completes({ registeredArguments: [first] }: Command, commands: readonly string[]): CommandNode['completes'] {
  const name = first?.name() ?? '';
  if (/^(sessions?|name)$/.test(name)) return 'session';
  if (name === 'command') return commands;
  return name === 'question' ? 'question' : (first?.argChoices ?? []);
}

const toCommand = (command: Command, commands: readonly string[]): CommandNode => ({
  names: [command.name(), ...command.aliases()],
  summary: command.summary(),
  options: command.options.map(toOption),
  completes: completes(command, commands),
});

/** The whole tree of `program`; loads every command. */
export async function commandTree(program: Command, app: App): Promise<Tree> {
  for (const command of program.commands) await app.complete(command);
  const names = program.commands.map((command) => command.name());
  return {
    commands: program.commands.map((command) => toCommand(command, names)),
    options: program.options.map(toOption),
  };
}
