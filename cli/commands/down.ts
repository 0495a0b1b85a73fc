/** `tiny down`: ends the local cluster. */
import { rmSync } from 'node:fs';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { findDaemon, stopDaemon } from '../local/daemon.ts';
import { leave, userKubeconfig } from '../local/user-kubeconfig.ts';
import { withProgress } from '../output/progress.ts';

const LIMIT_MS = 40_000;

export const define: Define = (command, app) =>
  command
    .option('--wipe', 'remove its data too: Sessions, volumes, audit log')
    .addHelpText('after', `\nExamples:\n  ${app.program} down\n  ${app.program} down --wipe`)
    .action((options: { wipe?: boolean }) => down(app, options));

async function down(app: App, { wipe }: { wipe?: boolean }): Promise<void> {
  const { data } = app.env;
  const daemon = findDaemon(data);
  if (daemon) await withProgress(app.io.stderr, 'Ending the local cluster', () => stopDaemon(daemon, LIMIT_MS));
  if (wipe) rmSync(data, { recursive: true, force: true });
  leave(userKubeconfig(app.env));
  app.note(daemon ? 'The local cluster has ended.' : 'No local cluster runs.');
  app.note(wipe ? 'Its data is gone.' : `Its data is kept in ${data}; \`${app.program} up\` goes on with it.`);
}
