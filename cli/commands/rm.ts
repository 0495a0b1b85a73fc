/** `tiny rm`: deletes Sessions, and with them all that was made for them. */
import { setTimeout } from 'node:timers/promises';
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { SESSIONS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { UsageError } from '../failure.ts';
import { objectName } from '../output/document.ts';
import { withProgress } from '../output/progress.ts';
import { eachOf } from '../session/change.ts';
import { find } from '../session/find.ts';

interface Options {
  all?: boolean;
  wait?: boolean;
}

export const define: Define = (command, app) =>
  command
    .argument('[sessions...]', 'names of Sessions')
    .option('--all', 'every Session of the namespace')
    .option('--wait', 'until they are gone')
    .addHelpText('after', `\nExamples:\n  ${app.program} rm refactor\n  ${app.program} rm --all --wait`)
    .action((names: string[], options: Options) => rm(app, names, options));

async function rm(app: App, names: string[], { all, wait }: Options): Promise<void> {
  if (all && names.length) throw new UsageError('either names or --all, not both');
  if (!all && !names.length) throw new UsageError('which Sessions?', 'Name them, or say --all.');
  const { client, namespace } = await app.cluster();
  const chosen = all ? (await client.list(SESSIONS, { namespace })).items.map(({ metadata }) => metadata.name) : names;
  if (!chosen.length) app.note(`No sessions found in ${namespace} namespace.`);
  await eachOf(app, chosen, async (name) => {
    const session = await find(client, { type: SESSIONS, namespace, name });
    await remove(app, session);
    if (wait) await gone(app, session);
  });
}

/** Deletes exactly the Session that was read: one made meanwhile under the same name stays. */
async function remove(app: App, session: Stored<Session>): Promise<void> {
  const { client, namespace } = await app.cluster();
  const { name, uid } = session.metadata;
  await client.delete(SESSIONS, { namespace, name }, { uid });
  app.print(app.flags.output === 'name' ? `${objectName(session)}\n` : `${objectName(session)} deleted\n`);
}

/** Milliseconds between two looks at a Session that is being deleted. */
const LOOK_EVERY = 200;

async function gone(app: App, { metadata: { name, uid } }: Stored<Session>): Promise<void> {
  const { client, namespace } = await app.cluster();
  const there = async () => (await client.get(SESSIONS, { namespace, name }))?.metadata.uid === uid;
  await withProgress(app.io.stderr, `Waiting until ${name} is gone`, async () => {
    while (await there()) await setTimeout(LOOK_EVERY, undefined, { signal: app.signal });
  });
}
