/** `tiny install`: puts tiny into a cluster, with the rights of whoever runs it. */
import type { Person } from '../../lib/api/meta.ts';
import type { Features } from '../../lib/install/features.ts';
import { preview } from '../../lib/install/preview.ts';
import type { App } from '../app.ts';
import { askYes } from '../ask.ts';
import type { Define } from '../define.ts';
import { UsageError } from '../failure.ts';
import { applyStages } from '../install/apply.ts';
import { readPeople } from '../install/people.ts';
import { planInstall, type Wanted } from '../install/plan.ts';
import { changes, refuseWithoutRights, showPreviews, summary } from '../install/show.ts';
import { withProgress } from '../output/progress.ts';
import { safeLine } from '../output/safe.ts';

interface Options extends Wanted {
  dryRun?: boolean;
  yes?: boolean;
  impersonateFile?: string;
}

/** Functions that are reached from outside of the cluster, and so installed where somebody wants them. */
const OPTIONAL = ['slack', 'github'];

/** `a,b`, and the option may stand several times. */
const names = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean),
];

export const define: Define = (command, app) =>
  command
    .option('--minimal', 'the resources alone: no functions, roles or policies')
    .option('--registry <host>', "take tiny's images, those of Sessions' pods too, from there: HOST[/PATH]")
    .option('--impersonate <users>', 'before Kubernetes 1.36: whom functions may act as, named one by one', names)
    .option('--impersonate-group <groups>', 'groups that these people carry when functions act as them', names)
    .option(
      '--impersonate-file <file>',
      'people whole, a list of what their whoami -o json prints: with uid and extra attributes',
    )
    .option(
      '--apply-kinds <kinds>',
      'what functions may apply of what agents propose: ConfigMap,Deployment.apps',
      names,
    )
    .option('--with <functions>', `functions that others call: ${OPTIONAL.join(', ')}`, names)
    .option('--kafka', "the Kafka broker instead of Knative's in-memory one")
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--force', 'install also what this cluster should not have')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      `
It applies crds/, rbac/, rbac/policies/ and, where Knative is, knative/, as fits the cluster's version, and shows first
what would change: the server is asked, so defaults and missing rights are in it. Run again, it changes
what differs; so give the same flags again.
A project is prepared by ${app.program} init NAMESPACE; ${app.program} doctor finds what is wrong.

Examples:
  ${app.program} install --dry-run
  ${app.program} install --registry registry.example/tiny --yes
  ${app.program} install --minimal
  ${app.program} install --impersonate alice,bob --impersonate-group team      (Kubernetes before 1.36)`,
    )
    .action((options: Options) => install(app, options));

const REGISTRY = /^[a-z0-9][a-z0-9.-]*(:\d+)?(\/[a-z0-9._/-]+)?$/;

/** What says nothing beside --minimal, and why. */
const BESIDE_MINIMAL: readonly [(options: Options) => unknown, string][] = [
  [({ kafka }) => kafka, '--minimal installs no eventing'],
  [(options) => options.with, '--minimal installs no functions'],
  [({ applyKinds }) => applyKinds, '--minimal installs no functions, so none applies anything'],
  [
    ({ impersonate, impersonateFile }) => impersonate || impersonateFile,
    '--minimal installs no functions, so none can act as anyone',
  ],
  [
    ({ registry }) => registry,
    '--minimal installs nothing that has an image; set TINY_REGISTRY in the environment of tiny',
  ],
];

/** Options that contradict each other, by what is wrong with them. */
function contradiction(options: Options): string | undefined {
  const { minimal, impersonate, impersonateGroup } = options;
  const beside = minimal && BESIDE_MINIMAL.find(([given]) => given(options));
  if (beside) return beside[1];
  return impersonateGroup && !impersonate ? '--impersonate-group says nothing without --impersonate' : undefined;
}

function checked(options: Options): void {
  const { registry } = options;
  const wrong = contradiction(options);
  if (wrong) throw new UsageError(wrong);
  const unknown = options.with?.find((name) => !OPTIONAL.includes(name));
  if (unknown)
    throw new UsageError(`there is no function "${unknown}" to install --with`, `There is: ${OPTIONAL.join(', ')}.`);
  if (registry !== undefined && !REGISTRY.test(registry))
    throw new UsageError(`--registry "${registry}" is no HOST[:PORT][/PATH]`, 'Leave out https:// and the image.');
}

const peopleOf = async (app: App, file: string | undefined): Promise<Person[]> =>
  file === undefined ? [] : readPeople(Buffer.from(await app.readFile(file)).toString('utf8'), file);

async function install(app: App, options: Options): Promise<void> {
  checked(options);
  const { client, context, server } = await app.cluster();
  const plan = await planInstall(client, { ...options, people: await peopleOf(app, options.impersonateFile) });
  app.note(`Cluster ${safeLine(context)} (${safeLine(server)}), Kubernetes ${safeLine(plan.features.version)}.`);
  for (const note of plan.notes) app.note(note.replaceAll('`tiny', `\`${app.program}`));
  const objects = plan.stages.flatMap((stage) => stage.objects);
  const previews = await withProgress(app.io.stderr, 'Comparing with the cluster', () => preview(client, objects));
  await showPreviews(app, previews);
  refuseWithoutRights(previews, 'install tiny here');
  if (options.dryRun) return;
  if (changes(previews) && !options.yes)
    await askYes(app, `${summary(previews)} in cluster ${safeLine(context)}. Go on?`);
  await applyStages(app, plan);
  next(app, plan.features, options.minimal ?? false);
}

function next(app: App, { standIn }: Features, minimal: boolean): void {
  const init = `${app.program} init NAMESPACE${minimal ? ' --minimal' : ''}`;
  app.note(`Installed.${standIn ? '' : ` Next: ${init} prepares a project.`}`);
}
