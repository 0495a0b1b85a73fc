/** `tiny volumes`: the volumes that outlived their Sessions (storage.retain), and their end. */
import { Argument } from 'commander';
import { age } from '../../lib/age.ts';
import { isNotFound } from '../../lib/kube/errors.ts';
import { CLAIMS, SESSIONS } from '../../lib/kube/types.ts';
import { memoryOf, outlived, type RetainedClaim, sizeOfClaim } from '../../lib/session/retained.ts';
import type { App } from '../app.ts';
import { askYes } from '../ask.ts';
import type { Define } from '../define.ts';
import { Failure, UsageError } from '../failure.ts';
import { document } from '../output/document.ts';
import { safeLine } from '../output/safe.ts';
import { type Column, table } from '../output/table.ts';
import { eachOf } from '../session/change.ts';

const OURS = 'app.kubernetes.io/managed-by=tiny';

const HELP = (program: string) => `
A Session with storage.retain leaves its volume behind. rm deletes volumes with all that is on them, and takes the right to
delete persistentvolumeclaims. A new Session goes on from one: ${program} new --from volume/NAME

Examples:
  ${program} volumes
  ${program} volumes rm refactor`;

export const define: Define = (command, app) =>
  command
    .addArgument(new Argument('[action]', 'ls (default) or rm').choices(['ls', 'rm']))
    .argument('[names...]', 'names of volumes, for rm')
    .option('-y, --yes', 'with rm: do not ask')
    .addHelpText('after', HELP(app.program))
    .action((action: string | undefined, names: string[], { yes = false }: { yes?: boolean }) =>
      action === 'rm' ? rm(app, names, yes) : ls(app, names),
    );

/** Volumes of the project whose Sessions are gone. */
async function left(app: App): Promise<RetainedClaim[]> {
  const { client, namespace } = await app.cluster();
  // Sessions last: one whose claim is listed is there by then, or gone.
  const claims = await client.list(CLAIMS, { namespace, labelSelector: OURS });
  const sessions = await client.list(SESSIONS, { namespace });
  return outlived(claims.items as RetainedClaim[], sessions.items);
}

const columns = (now: Date): Column<RetainedClaim>[] => [
  { heading: 'NAME', cell: ({ metadata }) => metadata.name },
  { heading: 'SIZE', cell: sizeOfClaim },
  { heading: 'AGE', cell: ({ metadata }) => age(metadata.creationTimestamp, now) },
  { heading: 'REQUESTER', cell: (claim) => memoryOf(claim)?.requester },
  { heading: 'AGENT', cell: (claim) => memoryOf(claim)?.agent.name },
  { heading: 'REPOSITORY', cell: (claim) => memoryOf(claim)?.repository?.url, shrink: true },
];

async function ls(app: App, names: readonly string[]): Promise<void> {
  if (names.length) throw new UsageError('ls takes no names');
  const claims = await left(app);
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') {
    const items = claims.map((claim) => ({ ...claim, apiVersion: 'v1', kind: 'PersistentVolumeClaim' }));
    return app.print(await document({ apiVersion: 'v1', kind: 'List', items }, output));
  }
  if (!claims.length) return app.note('No volume has outlived its Session here.');
  const width = app.io.stdout.isTTY ? app.io.stdout.columns : undefined;
  app.print(table(columns(app.now()), claims, { ...(width && { columns: width }) }));
}

async function rm(app: App, names: readonly string[], yes: boolean): Promise<void> {
  if (!names.length) throw new UsageError('which volumes?', '`tiny volumes` lists them.');
  const claims = new Map((await left(app)).map((claim) => [claim.metadata.name, claim]));
  await eachOf(app, names, async (name) => remove(app, { name, claim: claims.get(name), yes }));
}

interface Removing {
  name: string;
  claim: RetainedClaim | undefined;
  yes: boolean;
}

/** Exactly the one that was listed. */
async function remove(app: App, { name, claim, yes }: Removing): Promise<void> {
  if (!claim) {
    throw new Failure(
      `there is no volume "${safeLine(name)}" whose Session is gone`,
      'The volume of a Session that is there goes with it: `tiny rm`.',
    );
  }
  const whose = memoryOf(claim)?.requester;
  if (!yes) await askYes(app, `Delete volume ${name}${whose ? ` of ${safeLine(whose)}` : ''} with all that is on it?`);
  const { client, namespace } = await app.cluster();
  const { uid, resourceVersion } = claim.metadata;
  await client.delete(CLAIMS, { namespace, name }, { uid, resourceVersion }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  app.print(`persistentvolumeclaim/${name} deleted\n`);
}
