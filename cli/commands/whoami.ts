/** `tiny whoami`: who the cluster takes this person for, and whether it delivers events. */
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { whoAmI } from '../identity.ts';
import { hasEventing } from '../knative.ts';
import { document } from '../output/document.ts';
import { safeLine } from '../output/safe.ts';
import { fields } from '../output/table.ts';

export const define: Define = (command, app) =>
  command
    .addHelpText('after', `\nExamples:\n  ${app.program} whoami\n  ${app.program} whoami -o json`)
    .action(() => whoami(app));

async function whoami(app: App): Promise<void> {
  const { client, namespace, context, server } = await app.cluster();
  const [person, knative] = await Promise.all([whoAmI(client), hasEventing(client)]);
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') {
    return app.print(await document({ ...person, namespace, context, server, knative }, output));
  }
  if (output === 'name') return app.print(`${safeLine(person?.username ?? '')}\n`);
  const eventing = knative ? 'yes: functions are woken by events' : 'no: tiny acts directly, with your own rights';
  app.print(
    fields([
      ['Name', safeLine(person?.username ?? '<the cluster does not say>')],
      ['Groups', person?.groups?.map(safeLine).join('\n')],
      ['UID', safeLine(person?.uid ?? '')],
      ['Namespace', namespace],
      ['Context', safeLine(context)],
      ['Server', safeLine(server)],
      ['Knative', eventing],
    ]),
  );
}
