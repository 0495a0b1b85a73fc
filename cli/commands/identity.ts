/** `tiny identity`: who users of Slack and GitHub, and e-mail addresses, are in the cluster. */
import { Argument } from 'commander';
import { withEntry, withoutEntry } from '../../lib/identity/edit.ts';
import type { Entry } from '../../lib/identity/mapping.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { UsageError } from '../failure.ts';
import { checkIdentity } from '../identities/check.ts';
import { type IdOptions, idsOf } from '../identities/ids.ts';
import { editIdentities, readIdentities } from '../identities/store.ts';
import { document } from '../output/document.ts';
import { safeLine } from '../output/safe.ts';
import { type Column, table } from '../output/table.ts';

interface Options extends IdOptions {
  group?: string[];
  comment?: string;
}

const several = (text: string, before: readonly string[] = []): string[] => [...before, text];

const HELP = (program: string) => `
add gives a person more ids, and other groups where some are named; rm takes ids away, or the whole person where none is
named; ls lists; check tells who somebody would be, and what they may do in the project (-n) then. The identities are a
Secret in namespace tiny-system, edited with your own rights. Format, and rules by e-mail address: docs/people.md.

Examples:
  ${program} identity add alice --slack T0123ABCD/U0456EFGH --group team-a
  ${program} identity add alice --github 583231 --comment octocat
  ${program} identity check --slack T0123ABCD/U0456EFGH -n team-a
  ${program} identity rm alice`;

export const define: Define = (command, app) =>
  command
    .addArgument(new Argument('<action>', 'what to do').choices(Object.keys(ACTIONS)))
    .argument('[username]', 'the user name in the cluster, for add and rm')
    .option('--slack <team/user>', 'ids of Slack, such as T0123ABCD/U0456EFGH; may be repeated', several)
    .option('--github <id>', 'a numeric id of GitHub; may be repeated', several)
    .option('--email <address>', 'an e-mail address; may be repeated', several)
    .option('--group <group>', 'add: a group that is impersonated too; may be repeated', several)
    .option('--comment <text>', 'add: a word for people')
    .addHelpText('after', HELP(app.program))
    .action((action: string, username: string | undefined, options: Options) =>
      ACTIONS[action]?.(app, { username, options }),
    );

interface Asked {
  username: string | undefined;
  options: Options;
}

/** The entry that was typed. Throws UsageError. */
function entryOf({ username, options }: Asked): Entry {
  if (!username) throw new UsageError('which person? Name the user in the cluster');
  const { group, comment } = options;
  return { username, ...(group && { groups: group }), ...idsOf(options), ...(comment && { comment }) };
}

async function add(app: App, asked: Asked): Promise<void> {
  const entry = entryOf(asked);
  const { client } = await app.cluster();
  await editIdentities(client, (identities) => withEntry(identities, entry));
  app.note(
    `${safeLine(entry.username)} is noted. Functions see it once the kubelet has renewed their files, within two minutes.`,
  );
}

async function rm(app: App, asked: Asked): Promise<void> {
  const entry = entryOf(asked);
  if (entry.groups || entry.comment)
    throw new UsageError('rm takes away ids or the whole person', 'Set groups anew with add.');
  const { client } = await app.cluster();
  await editIdentities(client, (identities) => withoutEntry(identities, entry));
  app.note(
    `Taken away from ${safeLine(entry.username)}. Functions see it once the kubelet has renewed their files, within two minutes.`,
  );
}

const COLUMNS: Column<Entry>[] = [
  { heading: 'USERNAME', cell: ({ username }) => username },
  { heading: 'GROUPS', cell: ({ groups }) => groups?.join(',') },
  { heading: 'SLACK', cell: ({ slack }) => slack?.join(',') },
  { heading: 'GITHUB', cell: ({ github }) => github?.join(',') },
  { heading: 'EMAIL', cell: ({ email }) => email?.join(',') },
  { heading: 'COMMENT', cell: ({ comment }) => comment },
];

async function ls(app: App, { username }: Asked): Promise<void> {
  const identities = await readIdentities((await app.cluster()).client);
  const people = (identities.people ?? []).filter((entry) => !username || entry.username === username);
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') return app.print(await document({ ...identities, people }, output));
  if (people.length) app.print(table(COLUMNS, people));
  else app.note('Nobody is noted.');
  for (const { slackTeam, domain, username: name } of identities.rules ?? [])
    app.note(`Rule: who Slack team ${slackTeam} has verified as …@${domain} is ${safeLine(name)}.`);
}

const check = (app: App, { options }: Asked): Promise<void> => checkIdentity(app, options);

const ACTIONS: Record<string, (app: App, asked: Asked) => Promise<void>> = { add, ls, rm, check };
