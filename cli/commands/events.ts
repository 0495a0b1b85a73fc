/** `tiny events dead`: what no retry could deliver, and how to deliver it again. */
import { Argument } from 'commander';
import { age } from '../../lib/age.ts';
import { DEAD_LETTERS, type DeadLetter, lettersOf, totalOf } from '../../lib/event/dead-letters.ts';
import { CONFIG_MAPS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { Failure } from '../failure.ts';
import { document } from '../output/document.ts';
import { type Column, table } from '../output/table.ts';

export const define: Define = (command, app) =>
  command
    .addArgument(new Argument('<which>', 'which events').choices(['dead']))
    .addHelpText(
      'after',
      `
Lists the last hundred events that could not be delivered. The sweep makes good what they were about within minutes; they
tell why they were lost.

Examples:
  ${app.program} events dead
  ${app.program} replay dead/17       give number 17 to its function, in your name`,
    )
    .action(() => dead(app));

/** What is kept, newest first, and how many there were in all. Throws where the cluster keeps none. */
export async function readDeadLetters(app: App): Promise<{ letters: DeadLetter[]; total: number }> {
  const { client } = await app.cluster();
  const found = await client.get(CONFIG_MAPS, { namespace: 'tiny-system', name: DEAD_LETTERS });
  if (!found) {
    throw new Failure(
      'this cluster keeps no events that could not be delivered',
      '`tiny install` sets up where they are kept.',
    );
  }
  const data = found.data ?? {};
  return { letters: lettersOf(data), total: totalOf(data) };
}

const columns = (app: App): Column<DeadLetter>[] => [
  { heading: 'NUMBER', cell: ({ number }) => String(number) },
  { heading: 'AGE', cell: ({ at }) => age(at, app.now()) },
  { heading: 'ABOUT', cell: ({ about, type }) => (about ? `${about.kind} ${about.namespace}/${about.name}` : type) },
  { heading: 'TO', cell: ({ to }) => to },
  { heading: 'CODE', cell: ({ code }) => code?.toString() },
  { heading: 'ERROR', cell: ({ error }) => error, shrink: true },
];

async function dead(app: App): Promise<void> {
  const { letters, total } = await readDeadLetters(app);
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') return app.print(await document({ total, letters }, output));
  const width = app.io.stdout.isTTY ? app.io.stdout.columns : undefined;
  if (letters.length) app.print(table(columns(app), letters, { ...(width && { columns: width }) }));
  app.note(
    total
      ? `${total} could not be delivered in all, ${letters.length} of them are kept`
      : 'every event could be delivered',
  );
}
