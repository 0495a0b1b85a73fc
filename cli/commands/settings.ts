/** `tiny settings`: shows, sets and compares the settings of a project, with the person's own rights. */
import { Argument } from 'commander';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { Failure, UsageError } from '../failure.ts';
import { document } from '../output/document.ts';
import { safeLine } from '../output/safe.ts';
import { type Column, table } from '../output/table.ts';
import { followQuota, MAX_SESSIONS, quotaDiffers } from '../settings/quota.ts';
import { changeSettings, readSettings } from '../settings/read.ts';
import { assignment, knownKey, type Row, rowsOf } from '../settings/words.ts';

const HELP = (program: string) => `
Without an action every key is shown, with what holds. get prints one as it is set; set and unset change keys, with your
own rights; diff shows only what is set, and exits with 1 where something is. Meanings: docs/settings.md.

Examples:
  ${program} settings
  ${program} settings get answerers.users
  ${program} settings set answerers.users=alice,bob answerers.notRequester=true
  ${program} settings unset answerers.users`;

export const define: Define = (command, app) =>
  command
    .addArgument(new Argument('[action]', 'what to do').choices(Object.keys(ACTIONS)))
    .argument('[what...]', 'keys; for set KEY=VALUE, the entries of a list with commas between')
    .addHelpText('after', HELP(app.program))
    .action((action: string | undefined, what: string[]) => (action ? ACTIONS[action]?.(app, what) : show(app)));

/** Throws `UsageError` where nothing is named. */
function some(what: readonly string[], example: string): readonly string[] {
  if (what.length) return what;
  throw new UsageError('which key?', `For example: ${example}`);
}

const ACTIONS: Record<string, (app: App, what: readonly string[]) => Promise<void>> = {
  get: (app, what) => get(app, some(what, 'tiny settings get answerers.users')[0] ?? ''),
  set: (app, what) =>
    change(app, Object.fromEntries(some(what, 'tiny settings set spawn.allowImages=true').map(assignment))),
  unset: (app, what) =>
    change(app, Object.fromEntries(some(what, 'tiny settings unset answerers.users').map((key) => [key, null]))),
  diff: (app) => diff(app),
};

const columns: Column<Row>[] = [
  { heading: 'KEY', cell: ({ key }) => key },
  { heading: 'SET', cell: ({ value }) => (value === undefined ? 'no' : 'yes') },
  { heading: 'HOLDS', cell: ({ holds }) => holds },
  { heading: 'MEANING', cell: ({ meaning, problem }) => problem ?? meaning, shrink: true },
];

const withoutWords = ({ 'about.txt': _, ...data }: Record<string, string>) => data;

async function show(app: App): Promise<void> {
  const data = withoutWords(await readSettings(app));
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') return app.print(await document(data, output));
  const rows = rowsOf(data);
  const width = app.io.stdout.isTTY ? app.io.stdout.columns : undefined;
  app.print(table(columns, rows, { ...(width && { columns: width }) }));
  for (const { key, problem } of rows) if (problem) app.note(`warning: ${safeLine(key)} ${problem}`);
  const differs = await quotaDiffers(app, data[MAX_SESSIONS]);
  if (differs) app.note(`warning: ${safeLine(differs)}`);
}

async function get(app: App, key: string): Promise<void> {
  const { absent } = knownKey(key);
  const value = (await readSettings(app))[key];
  if (value === undefined) throw new Failure(`${key} is not set`, `What holds without it: ${absent}.`);
  app.print(value.endsWith('\n') ? value : `${value}\n`);
}

async function change(app: App, wanted: Record<string, string | null>): Promise<void> {
  const { namespace } = await app.cluster();
  const limit = wanted[MAX_SESSIONS];
  if (limit !== undefined) await followQuota(app, limit);
  await changeSettings(app, wanted);
  const keys = Object.keys(wanted);
  app.note(`${keys.join(', ')} ${keys.length === 1 ? 'is' : 'are'} changed in project ${namespace}`);
}

async function diff(app: App): Promise<void> {
  const rows = rowsOf(withoutWords(await readSettings(app))).filter(({ value }) => value !== undefined);
  if (!rows.length) return app.note('nothing is set: the defaults hold');
  app.print(
    table(
      columns.filter(({ heading }) => heading !== 'SET'),
      rows,
    ),
  );
  throw new Failure(`${rows.length} ${rows.length === 1 ? 'key is' : 'keys are'} set otherwise than by default`);
}
