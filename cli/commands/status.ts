/** `tiny status`: what runs of a local cluster. */
import { isTrue } from '../../lib/api/conditions.ts';
import { PODS, SESSIONS } from '../../lib/kube/types.ts';
import { askControl } from '../../local/control.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { Failure } from '../failure.ts';
import { findDaemon } from '../local/daemon.ts';
import { engineInWords } from '../local/engine.ts';
import { document } from '../output/document.ts';

export const define: Define = (command, app) =>
  command
    .addHelpText('after', `\nExamples:\n  ${app.program} status\n  ${app.program} status -o json`)
    .action(() => status(app));

async function status(app: App): Promise<void> {
  const daemon = findDaemon(app.env.data);
  if (!daemon) throw new Failure('no local cluster runs', `\`${app.program} up\` starts one.`);
  const { client, server } = await app.cluster();
  const [pods, sessions, control] = await Promise.all([
    client.list(PODS),
    client.list(SESSIONS),
    askControl(app.env.data),
  ]);
  const report = {
    server,
    pid: daemon.pid,
    engine: daemon.kubernetes === undefined ? 'stand-in' : 'kubernetes',
    running: { pods: pods.items.length, functions: control.functions },
    sessions: { all: sessions.items.length, finished: sessions.items.filter((one) => isTrue(one, 'Finished')).length },
  };
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') return app.print(await document(report, output));
  app.print(`local cluster: ${server} (process ${daemon.pid}), ${engineInWords(daemon.kubernetes)}\n`);
  app.print(`sessions: ${report.sessions.all}, ${report.sessions.finished} of them finished\n`);
  app.print(
    `running: ${pods.items.length} pods, ${control.functions.length} functions${control.functions.length ? ` (${control.functions.join(', ')})` : ''}\n`,
  );
}
