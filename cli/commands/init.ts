/** `tiny init`: prepares a namespace for Sessions. */

import { setTimeout } from 'node:timers/promises';
import { Argument, InvalidArgumentError } from 'commander';
import { applyAll } from '../../lib/install/apply.ts';
import { preview } from '../../lib/install/preview.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { whoAmI } from '../identity.ts';
import { type ProjectWish, planProject } from '../install/project.ts';
import { refuseWithoutRights, showPreviews } from '../install/show.ts';

interface Options {
  maxSessions?: number;
  minimal?: boolean;
  dryRun?: boolean;
}

const count = (text: string): number => {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return Number(text);
};

/** As Kubernetes has it (RFC 1123). */
const namespaceName = (text: string): string => {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text))
    throw new InvalidArgumentError('A namespace is named in lower-case letters, digits and dashes, 63 at most.');
  return text;
};

export const define: Define = (command, app) =>
  command
    .addArgument(new Argument('<namespace>', 'the namespace; made where it is not there').argParser(namespaceName))
    .option('--max-sessions <count>', 'how many Sessions there may be at once (a ResourceQuota)', count)
    .option('--minimal', "the agents' account alone: no functions act here")
    .option('--dry-run', 'show what would change, and change nothing')
    .addHelpText(
      'after',
      `
It makes the agents' service account with its role, lets the functions act here in people's names, writes settings that
change nothing yet and say what can be set, and asks for the Pod Security level "restricted". What is there stays: settings
are never overwritten, and another Pod Security level is left alone. Whoever administers a namespace (ClusterRole admin
there) may make a project of it, but for its labels and --max-sessions.

Examples:
  ${app.program} init team-a
  ${app.program} init team-a --max-sessions 20
  ${app.program} init team-a --dry-run -o yaml`,
    )
    .action((namespace: string, options: Options) => init(app, namespace, options));

async function init(app: App, namespace: string, { dryRun, ...wish }: Options): Promise<void> {
  const { client } = await app.cluster();
  const asked: ProjectWish = { namespace, person: await whoAmI(client), ...wish };
  const { objects, notes } = await planProject(client, asked);
  const previews = await preview(client, objects, namespace);
  await showPreviews(app, previews);
  refuseWithoutRights(previews, `prepare namespace ${namespace}`);
  for (const note of notes) app.note(note);
  if (dryRun) return;
  const wait = (ms: number) => setTimeout(ms, undefined, { signal: app.signal });
  await applyAll(client, objects, { namespace, wait });
  app.note(
    `Namespace ${namespace} is ready for Sessions. Next: ${app.program} -n ${namespace} new 'Fix the login test' …`,
  );
  const bind = `kubectl -n ${namespace} create rolebinding NAME --clusterrole=tiny-user --user=WHO`;
  app.note(`People need rights there: ${wish.minimal ? 'docs/install.md says which' : bind}`);
}
