/** `tiny ls`: the Sessions of a project. */
import { SESSIONS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { list, listScope } from '../output/listing.ts';
import { sessionColumns } from '../session/columns.ts';

interface Options {
  selector?: string;
}

export const define: Define = (command, app) =>
  command
    .option('-l, --selector <query>', 'only Sessions with these labels')
    .addHelpText('after', `\nExamples:\n  ${app.program} ls\n  ${app.program} ls -A -o wide\n  ${app.program} ls -w`)
    .action((options: Options) => ls(app, options));

async function ls(app: App, { selector }: Options): Promise<void> {
  const options = { ...(await listScope(app)), ...(selector && { labelSelector: selector }) };
  const columns = () => sessionColumns(app.now(), app.style);
  await list(app, { type: SESSIONS, columns, options, noun: 'sessions' });
}
