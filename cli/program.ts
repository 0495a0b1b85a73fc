/** The command tree: global flags and one bare entry a command, whose own options are added when it is chosen. */
import { Command, Option } from 'commander';
import type { App } from './app.ts';
import type { Entry } from './entry.ts';
import { REGISTRY } from './registry.ts';
import { VERSION } from './version.ts';

const examples = (program: string) => `
Examples:
  ${program} up                                       start a local cluster
  ${program} new "Fix the flaky login test" --repo https://github.com/acme/shop
  ${program} new -f task.md --name refactor --wait     follow it until it has finished
  ${program} ls -w                                    watch Sessions change
  ${program} questions                                what do agents ask?
  ${program} y                                        say yes to the only open question
  ${program} logs refactor -f                         read along
  ${program} rm refactor

Run "${program} help COMMAND" for a command's options and examples.`;

function addGlobalFlags(program: Command): void {
  program
    .option('-n, --namespace <name>', "the project's namespace (default: the kubeconfig context's)")
    .option('-A, --all-namespaces', 'in all namespaces')
    .option('--context <name>', 'the kubeconfig context')
    .option('--kubeconfig <file>', 'the kubeconfig (default: $KUBECONFIG, then ~/.kube/config)')
    .addOption(
      new Option('-o, --output <format>', 'print objects so, instead of a table').choices([
        'json',
        'yaml',
        'wide',
        'name',
      ]),
    )
    .option('-w, --watch', 'go on and print changes as they come')
    .option('--no-color', 'no colours, as with NO_COLOR')
    .option('-v, --verbose', 'tell each request on stderr')
    .version(VERSION, '-V, --version', 'print the version');
}

function addEntry(program: Command, { name, aliases = [], summary, group }: Entry): void {
  program
    .command(name)
    .summary(summary)
    .description(summary)
    .aliases([...aliases])
    .helpGroup(`${group}:`);
}

const completed = new WeakSet<Command>();

/** Loads the code of the command called like `command` and completes that by it, once. */
export async function complete(command: Command, app: App): Promise<void> {
  const entry = REGISTRY.find(({ name }) => name === command.name());
  if (!entry || completed.has(command)) return;
  completed.add(command);
  (await entry.load()).define(command, app);
}

/** Lists in Markdown begin with "- ", and so do many prompts. */
const textHint = (error: string): string =>
  /unknown option '-[^']*\s/.test(error)
    ? '  A text that begins with "-" stands after --, or is read with -f FILE.\n'
    : '';

/** The program of one run. Nothing is written to the process: commander throws, and writes through `app.io`. */
export function makeProgram(app: App): Command {
  const program = new Command(app.program)
    .description("Run coding agents on your team's own Kubernetes cluster.")
    .usage('[flags] COMMAND')
    .exitOverride()
    .showHelpAfterError(`(run "${app.program} help" for usage)`)
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) => [command.name(), ...command.aliases()].join(', '),
    })
    .configureOutput({
      writeOut: (text) => app.io.stdout.write(text),
      writeErr: (text) => app.io.stderr.write(text),
      getOutHelpWidth: () => app.io.stdout.columns || 100,
      getErrHelpWidth: () => app.io.stderr.columns || 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      outputError: (text, write) => write(text + textHint(text)),
    })
    .helpCommand(false)
    .addHelpText('after', examples(app.program))
    .hook('preSubcommand', (_, command) => app.complete(command));
  addGlobalFlags(program);
  for (const entry of REGISTRY) addEntry(program, entry);
  return program;
}
