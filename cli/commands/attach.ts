/** `tiny attach`: a conversation with a Session's agent in the terminal. */
import { SESSIONS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { UsageError } from '../failure.ts';
import { find } from '../session/find.ts';

export const define: Define = (command, app) =>
  command
    .argument('<session>', 'the name of the Session')
    .addHelpText(
      'after',
      `\nExamples:\n  ${app.program} attach refactor\n\nA line is a message, or the answer to the Question that stands above it. A Session that sleeps is woken by a\nmessage. Ctrl-C and Ctrl-D leave; the Session goes on.`,
    )
    .action((name: string) => attach(app, name));

async function attach(app: App, given: string): Promise<void> {
  if (!app.io.stdin.isTTY || !app.io.stdout.isTTY) {
    throw new UsageError(
      'attach is a conversation, and needs a terminal on both sides',
      `Elsewhere: \`${app.program} logs ${given} -f\` reads along, \`${app.program} send ${given} TEXT\` says something,`,
      `\`${app.program} answer QUESTION OPTION\` answers.`,
    );
  }
  const { client, namespace } = await app.cluster();
  const session = await find(client, { type: SESSIONS, namespace, name: given });
  const { converse } = await import('../attach/attach.ts');
  await converse(app, session);
}
