/** `tiny completion`: a script that completes commands, flags, and names of Sessions and Questions. */
import { Argument, type Command } from 'commander';
import type { App } from '../app.ts';
import { bashCompletion } from '../completion/bash.ts';
import { fishCompletion } from '../completion/fish.ts';
import { commandTree, type Tree } from '../completion/tree.ts';
import { zshCompletion } from '../completion/zsh.ts';
import type { Define } from '../define.ts';

const SHELLS: Record<string, (tree: Tree) => string> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export const define: Define = (command, app) =>
  command
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', '\nExamples:\n  source <(tiny completion bash)\n  tiny completion fish | source')
    .action((shell: string) => completion(app, command.parent, shell));

async function completion(app: App, program: Command | null, shell: string): Promise<void> {
  const script = SHELLS[shell];
  if (program && script) app.print(script(await commandTree(program, app)));
}
