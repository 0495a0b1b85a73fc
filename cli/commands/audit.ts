/** `tiny audit`: who did what, and for whom, from an audit log of the API server. */
import { join } from 'node:path';
import type { App } from '../app.ts';
import { type AuditRow, isDeed, isMachinery, parseAudit } from '../audit/row.ts';
import { auditColumns } from '../audit/table.ts';
import type { Define } from '../define.ts';
import { Failure, UsageError } from '../failure.ts';
import { document } from '../output/document.ts';
import { table } from '../output/table.ts';
import { bareName } from '../session/name.ts';

interface Options {
  file?: string;
  reads?: boolean;
  all?: boolean;
  tail?: string;
}

export const define: Define = (command, app) =>
  command
    .argument('[session]', 'only objects called so, or NAME-…')
    .option('--file <file>', "a log in the shape of audit.k8s.io/v1, JSON lines (default: the local cluster's)")
    .option('--reads', 'what only read, too')
    .option('--all', "what the cluster's own controllers did, too")
    .option('--tail <count>', 'only the last ones')
    .addHelpText(
      'after',
      `\nExamples:\n  ${app.program} audit\n  ${app.program} audit refactor\n  ${app.program} audit -A\n  ${app.program} audit --file /var/log/kubernetes/audit.log -o json`,
    )
    .action((session: string | undefined, options: Options) => audit(app, session, options));

/** The log with the part before its last rotation, if that is there. */
async function readLog(app: App, file: string): Promise<string> {
  const text = async (path: string) => Buffer.from(await app.readFile(path)).toString('utf8');
  const before = await text(`${file}.1`).catch(() => '');
  try {
    return before + (await text(file));
  } catch (error) {
    throw new Failure(
      `can't read the audit log ${file}: ${(error as Error).message}`,
      'The local cluster (`tiny up`) writes one; name that of another API server with --file.',
    );
  }
}

/** The project that is looked at: `-n`'s, none with `-A` or for a log of another cluster, else the kubeconfig's. */
async function scope(app: App, file: string | undefined): Promise<string | undefined> {
  if (app.flags.namespace) return app.flags.namespace;
  return app.flags.allNamespaces || file ? undefined : (await app.cluster()).namespace;
}

const concerns =
  (wanted: { session: string | undefined; namespace: string | undefined; reads: boolean; all: boolean }) =>
  (row: AuditRow): boolean =>
    (wanted.reads || isDeed(row)) &&
    (wanted.all || !isMachinery(row)) &&
    (!wanted.namespace || row.namespace === wanted.namespace) &&
    (!wanted.session || row.name === wanted.session || (row.name?.startsWith(`${wanted.session}-`) ?? false));

async function audit(
  app: App,
  session: string | undefined,
  { file, reads = false, all = false, tail }: Options,
): Promise<void> {
  if (tail !== undefined && !/^[1-9]\d{0,8}$/.test(tail)) throw new UsageError(`--tail "${tail}" must be a number`);
  const { rows, torn } = parseAudit(await readLog(app, file ?? join(app.env.data, 'audit.log')));
  const wanted = { session: session && bareName(session), namespace: await scope(app, file), reads, all };
  const chosen = rows.filter(concerns(wanted)).slice(tail ? -Number(tail) : 0);
  if (torn) app.note(`${torn} lines of the log are torn and were left out.`);
  await print(app, chosen);
}

async function print(app: App, rows: AuditRow[]): Promise<void> {
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') return app.print(await document(rows, output));
  if (!rows.length) return app.note('No deeds found.');
  const columns = auditColumns(app.now(), app.style).filter(({ wide }) => !wide || output === 'wide');
  app.print(table(columns, rows));
}
