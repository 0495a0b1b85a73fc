/** `tiny uninstall`: takes tiny out of a cluster, with the rights of whoever runs it. */
import { setTimeout } from 'node:timers/promises';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import { type Found, findInstallation, removeObject, tryRemoval, untilGone } from '../../lib/install/removal.ts';
import { isForbidden } from '../../lib/kube/errors.ts';
import type { App } from '../app.ts';
import { askYes } from '../ask.ts';
import type { Define } from '../define.ts';
import { Failure } from '../failure.ts';
import { sessionsLeft } from '../install/sessions-left.ts';
import { document, makeList, objectName } from '../output/document.ts';
import { withProgress } from '../output/progress.ts';
import { safeLine } from '../output/safe.ts';
import { table } from '../output/table.ts';

interface Options {
  crds?: boolean;
  force?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/** Milliseconds; a namespace goes in some seconds, resources when their last object has. */
const GONE_MS = 60_000;

export const define: Define = (command, app) =>
  command
    .option('--crds', 'the resources too: with them go all Sessions and Questions, and what they are made of')
    .option('--force', 'even while there are Sessions')
    .option('--dry-run', 'show what would be removed, and remove nothing')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      `
It removes the eventing, the functions, all roles and bindings, those of projects too, the admission policies and
namespace tiny-system with all that is in it, in this order, so that nothing acts while the policies go. It finds them by the
label app.kubernetes.io/part-of=tiny, whatever flags they were installed with.
Without --crds the Sessions and Questions stay, and nothing acts on them any more. Namespaces of projects, their settings,
quotas and volumes stay in any case.

Examples:
  ${app.program} uninstall --dry-run
  ${app.program} uninstall
  ${app.program} uninstall --crds --force --yes      everything, Sessions included`,
    )
    .action((options: Options) => uninstall(app, options));

async function refuseWhileUsed(app: App, { force, crds }: Options): Promise<void> {
  const { client } = await app.cluster();
  const left = await sessionsLeft(client);
  if (!left) return;
  const many = left.count === 1 ? 'is 1 Session' : `are ${left.count} Sessions`;
  if (force)
    return app.note(
      crds
        ? `There ${many}, which go with all that they are made of; only retained volumes stay.`
        : `There ${many}: their pods run on, and nothing acts on them any more.`,
    );
  throw new Failure(
    `there ${many} (${safeLine(left.example)})`,
    `Remove them first (\`${app.program} ls -A\`, \`${app.program} -n NAMESPACE rm NAME\`), or say --force.`,
  );
}

async function show(app: App, objects: readonly KubeObject[]): Promise<void> {
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') return app.print(await document(makeList([...objects]), output));
  if (output === 'name') return app.print(objects.map((object) => `${objectName(object)}\n`).join(''));
  const columns = [
    { heading: 'ACTION', cell: () => 'remove', paint: (text: string) => app.style.red(text) },
    { heading: 'KIND', cell: ({ kind }: KubeObject) => kind },
    { heading: 'NAME', cell: ({ metadata }: KubeObject) => metadata.name },
    { heading: 'NAMESPACE', cell: ({ metadata }: KubeObject) => metadata.namespace },
  ];
  app.print(table(columns, objects));
  app.print(`${objects.length} to remove\n`);
}

/** Throws where the person may not remove some of them: nothing was removed then. */
async function refuseWithoutRights(app: App, objects: readonly KubeObject[]): Promise<void> {
  const { client } = await app.cluster();
  const refused: string[] = [];
  for (const object of objects) {
    await tryRemoval(client, object).catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
      refused.push(error.message);
    });
  }
  if (!refused.length) return;
  throw new Failure(
    `you may not uninstall tiny here: ${refused.length} of ${objects.length} removals were refused, and nothing was removed`,
    ...refused.slice(0, 5).map(safeLine),
    'ClusterRole cluster-admin has these rights.',
  );
}

async function remove(app: App, { part, objects }: Found): Promise<void> {
  const { client } = await app.cluster();
  const work = async () => {
    for (const object of objects) await removeObject(client, object);
    const wait = (ms: number) => setTimeout(ms, undefined, { signal: app.signal });
    return await untilGone(client, objects, { wait, limit: GONE_MS });
  };
  const left = await withProgress(app.io.stderr, `${part}: removing ${objects.length} objects`, work);
  if (!left.length) return app.note(`${part}: ${objects.length} objects removed.`);
  throw new Failure(
    `${left.map(named).join(', ')} ${left.length === 1 ? 'is' : 'are'} still going after a minute`,
    '`kubectl get … -o yaml` shows by finalizers and conditions what it waits for. The command can be run again.',
  );
}

const named = ({ kind, metadata }: Stored<KubeObject>): string => `${kind} ${metadata.name}`;

async function uninstall(app: App, options: Options): Promise<void> {
  const { client, context } = await app.cluster();
  const found = await withProgress(app.io.stderr, 'Looking what is there', () =>
    findInstallation(client, options.crds ?? false),
  );
  const objects = found.flatMap((one) => one.objects);
  if (!objects.length) return app.note(nothing(options));
  await show(app, objects);
  await refuseWhileUsed(app, options);
  await refuseWithoutRights(app, objects);
  if (options.dryRun) return;
  if (!options.yes) await askYes(app, `${objects.length} objects of cluster ${safeLine(context)} are removed. Go on?`);
  for (const part of found) await remove(app, part);
  app.note(options.crds ? 'Uninstalled.' : 'Uninstalled; the resources stay, --crds removes them.');
}

const nothing = ({ crds }: Options): string =>
  crds ? 'Nothing of tiny is here.' : 'Nothing of tiny is here, but perhaps its resources: --crds removes them.';
