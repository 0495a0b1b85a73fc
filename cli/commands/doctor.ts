/** `tiny doctor`: finds what is wrong with an installation and its projects, and says what to do. */
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { check } from '../doctor/check.ts';
import type { Finding } from '../doctor/finding.ts';
import { readSystem } from '../doctor/read.ts';
import { readProjects, readRights } from '../doctor/read-projects.ts';
import { Failure } from '../failure.ts';
import { document } from '../output/document.ts';
import { withProgress } from '../output/progress.ts';
import { safeLine } from '../output/safe.ts';

export const define: Define = (command, app) =>
  command
    .addHelpText(
      'after',
      `
It looks at the resources, the admission policies (it makes a Session in a dry run, and sees whether it is stamped), the
rights of tiny's accounts and of whoever asked for Sessions, the way of an event to its function, this machine's clock, and
a project's account, bindings, pods and Sessions. It changes nothing. Exit code 1 where it finds an error.

Examples:
  ${app.program} doctor
  ${app.program} doctor -A
  ${app.program} doctor -n team-a -o json`,
    )
    .action(() => doctor(app));

async function look(app: App): Promise<Finding[]> {
  const { client, namespace } = await app.cluster();
  const system = await readSystem(app, client);
  const projects = await readProjects(client, system, app.flags.allNamespaces ? undefined : namespace);
  const rights = await readRights(client, system, projects);
  return check({ system, projects, rights });
}

function paragraph(app: App, { severity, object, namespace, what, why, fix }: Finding): string {
  const { style } = app;
  const mark = severity === 'error' ? style.red('error  ') : style.yellow('warning');
  const where = namespace ? ` (${namespace})` : '';
  const told = fix.replaceAll(/(^|`|[;&,] (?:then )?|install, then )tiny /g, `$1${app.program} `);
  return `${mark}  ${style.bold(safeLine(object))}${where} ${safeLine(what)}\n         ${safeLine(why)}\n         Do: ${safeLine(told)}\n`;
}

async function doctor(app: App): Promise<void> {
  const findings = await withProgress(app.io.stderr, 'Looking', () => look(app));
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') app.print(await document(findings, output));
  else if (output === 'name')
    app.print(findings.map(({ reason, object }) => `${reason} ${safeLine(object)}\n`).join(''));
  else app.print(findings.map((finding) => paragraph(app, finding)).join('\n'));
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  if (errors) throw new Failure(`${errors} ${errors === 1 ? 'thing is' : 'things are'} wrong`);
  const unseen = findings.some(({ reason }) => reason === 'NotSeen');
  app.note(unseen ? 'Nothing is wrong in what you may see.' : 'Nothing is wrong that keeps tiny from working.');
}
