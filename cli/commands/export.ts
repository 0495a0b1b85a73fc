/** `tiny export`: a Session's clone, conversation and transcript as an archive. */
import { existsSync } from 'node:fs';
import { isTrue } from '../../lib/api/conditions.ts';
import { SESSIONS } from '../../lib/kube/types.ts';
import { CONDITION } from '../../lib/session/status.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { UsageError } from '../failure.ts';
import { find } from '../session/find.ts';

const help = (program: string) => `
Examples:
  ${program} export refactor
  ${program} export refactor /tmp/refactor.tar.gz
  ${program} export refactor - | tar tz
  ${program} new --from refactor.tar.gz "And now the documentation"

It holds the clone, the agent's own state, the transcript and the journal; no credential that stands where agents and
tools keep them, and no cache. A pod is made in your name that reads the volume; docs/logs.md tells more.`;

export const define: Define = (command, app) =>
  command
    .argument('<session>', 'the name of the Session')
    .argument('[file]', 'where to; - is standard output (default: NAME.tar.gz)')
    .option('--force', 'though the file is there')
    .addHelpText('after', help(app.program))
    .action((name: string, file: string | undefined, options: { force?: boolean }) =>
      exportSession(app, name, { file, ...options }),
    );

async function exportSession(
  app: App,
  given: string,
  { file, force }: { file: string | undefined; force?: boolean },
): Promise<void> {
  const { client, namespace } = await app.cluster();
  const session = await find(client, { type: SESSIONS, namespace, name: given });
  const { name } = session.metadata;
  const path = file ?? `${name}.tar.gz`;
  if (path === '-' && app.io.stdout.isTTY) throw new UsageError('an archive is nothing for a terminal', 'Name a file.');
  if (path !== '-' && !force && existsSync(path))
    throw new UsageError(`${path} is there already`, '--force replaces it.');
  if (isTrue(session, CONDITION.suspended) === false) {
    app.note(
      `Session ${name} runs: what it writes meanwhile may be in the archive or not. \`tiny suspend ${name}\` stops it.`,
    );
  }
  const { exportToFile, exportToOutput } = await import('../export/write.ts');
  if (path === '-') return void (await exportToOutput(app, session));
  const bytes = await exportToFile(app, session, path);
  const { sizeOf } = await import('../transcript/marks.ts');
  app.print(`${path}\n`);
  app.note(`${name} is in ${path} (${sizeOf(bytes)}). \`${app.program} new --from ${path} PROMPT\` goes on from it.`);
}
