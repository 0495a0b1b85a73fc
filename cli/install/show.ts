/** What would change, in words: one line an object that is not as it should be. */
import type { Preview } from '../../lib/install/preview.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { document, makeList, objectName } from '../output/document.ts';
import { safeLine } from '../output/safe.ts';
import type { Style } from '../output/style.ts';
import { type Column, table } from '../output/table.ts';

const COLOUR = { create: 'green', change: 'yellow', unchanged: 'dim', refused: 'red' } as const;
/** Fields that are named; of the rest the number is told. */
const NAMED = 4;

function fieldsInWords(fields: readonly string[]): string {
  const more = fields.length - NAMED;
  return fields.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const columns = (style: Style): Column<Preview>[] => [
  { heading: 'ACTION', cell: ({ action }) => action, paint: (text, { action }) => style[COLOUR[action]](text) },
  { heading: 'KIND', cell: ({ object }) => object.kind },
  { heading: 'NAME', cell: ({ object }) => object.metadata.name },
  { heading: 'NAMESPACE', cell: ({ object }) => object.metadata.namespace },
  { heading: 'FIELDS', cell: ({ fields, action }) => (action === 'create' ? 'all' : fieldsInWords(fields)) },
];

const count = (previews: readonly Preview[], wanted: Preview['action']): number =>
  previews.filter(({ action }) => action === wanted).length;

/** Whether anything is to be done. */
export const changes = (previews: readonly Preview[]): number => count(previews, 'create') + count(previews, 'change');

/** `3 to create, 1 to change, 20 unchanged`. */
export const summary = (previews: readonly Preview[]): string =>
  `${count(previews, 'create')} to create, ${count(previews, 'change')} to change, ${count(previews, 'unchanged')} unchanged`;

/** Prints the difference, or the objects whole with -o. */
export async function showPreviews(app: App, previews: readonly Preview[]): Promise<void> {
  const { output } = app.flags;
  const differing = previews.filter(({ action }) => action !== 'unchanged');
  if (output === 'json' || output === 'yaml')
    return app.print(await document(makeList(previews.map(({ object }) => object)), output));
  if (output === 'name') return app.print(differing.map(({ object }) => `${objectName(object)}\n`).join(''));
  const shown = output === 'wide' ? previews : differing;
  if (shown.length) app.print(table(columns(app.style), shown));
  app.print(`${summary(previews)}\n`);
}

/** The rights that roles would hand on and the person lacks stand at the end of a long message. */
const short = (text: string): string => safeLine(text).slice(0, 300);

/** Throws where the person may not write some of the objects: nothing was written then. */
export function refuseWithoutRights(previews: readonly Preview[], what: string): void {
  const refused = previews.filter(({ action }) => action === 'refused');
  if (!refused.length) return;
  const said = refused.slice(0, 5).map(({ refusal }) => short(refusal?.message ?? ''));
  throw new Failure(
    `you may not ${what}: ${refused.length} of ${previews.length} objects were refused, and nothing was written`,
    ...said,
    ...(refused.length > said.length ? [`… and ${refused.length - said.length} more; -o wide lists them.`] : []),
    'ClusterRole cluster-admin has these rights. Ask whoever administers the cluster to run this command, or to bind it to you:',
    'kubectl create clusterrolebinding NAME --clusterrole=cluster-admin --user=YOU   (`tiny whoami` tells who you are)',
  );
}
