/** `tiny version`: of the command, and of the cluster where there is one. */
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { document } from '../output/document.ts';
import { safeLine } from '../output/safe.ts';
import { fields } from '../output/table.ts';
import { VERSION } from '../version.ts';

export const define: Define = (command, app) =>
  command.option('--client', 'of the command alone').action((options: { client?: boolean }) => version(app, options));

/** No cluster is no failure here: the version of the command is what was asked for first. */
async function serverVersion(app: App): Promise<string | undefined> {
  try {
    const { client } = await app.cluster();
    return (await client.request<{ gitVersion?: string }>('GET', '/version')).gitVersion;
  } catch (error) {
    app.note(`The cluster doesn't say its version: ${(error as Error).message}`);
    return undefined;
  }
}

async function version(app: App, { client }: { client?: boolean }): Promise<void> {
  const server = client ? undefined : await serverVersion(app);
  const told = { tiny: VERSION, node: process.versions.node, ...(server && { server: safeLine(server) }) };
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') return app.print(await document(told, output));
  app.print(
    fields([
      ['tiny', told.tiny],
      ['Node', told.node],
      ['Kubernetes', told.server],
    ]),
  );
}
