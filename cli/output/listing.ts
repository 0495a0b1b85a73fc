/** Prints objects in the format that was asked for, once, or again and again as they change. */
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { ListOptions, ResourceType } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import { document, makeList, objectName } from './document.ts';
import { withProgress } from './progress.ts';
import { type Column, columnWidths, type TableOptions, table } from './table.ts';

/** What is listed, and how a row of it looks. */
export interface Listing<T extends KubeObject> {
  type: ResourceType<T>;
  columns: () => Column<Stored<T>>[];
  options: ListOptions;
  /** `Sessions`, for "No Sessions found". */
  noun: string;
  keep?: (object: Stored<T>) => boolean;
}

/** The namespace that a list is of: none with `-A`. */
export async function listScope(app: App): Promise<ListOptions> {
  return app.flags.allNamespaces ? {} : { namespace: (await app.cluster()).namespace };
}

function shownColumns<T extends KubeObject>(app: App, listing: Listing<T>): Column<Stored<T>>[] {
  const columns = listing.columns().filter(({ wide }) => !wide || app.flags.output === 'wide');
  const namespace = { heading: 'NAMESPACE', cell: ({ metadata }: Stored<T>) => metadata.namespace };
  return app.flags.allNamespaces ? [namespace, ...columns] : columns;
}

const terminalWidth = (app: App): TableOptions =>
  app.io.stdout.isTTY && app.io.stdout.columns && app.flags.output !== 'wide' ? { columns: app.io.stdout.columns } : {};

/** Prints `items` as a table, a list or names. */
async function printItems<T extends KubeObject>(app: App, listing: Listing<T>, items: Stored<T>[]): Promise<void> {
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') return app.print(await document(makeList(items), output));
  if (output === 'name') return app.print(items.map((item) => `${objectName(item)}\n`).join(''));
  if (items.length) return app.print(table(shownColumns(app, listing), items, terminalWidth(app)));
  const where = listing.options.namespace ? ` in ${listing.options.namespace} namespace` : '';
  app.note(`No ${listing.noun} found${where}.`);
}

/** Prints one object, or with `-w` its present state and each later one. */
async function printChange<T extends KubeObject>(app: App, object: Stored<T>, row: (object: Stored<T>) => string) {
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') {
    return app.print((output === 'yaml' ? '---\n' : '') + (await document(object, output)));
  }
  app.print(output === 'name' ? `${objectName(object)}\n` : row(object));
}

/** Lists, and with `-w` follows until Ctrl-C. */
export async function list<T extends KubeObject>(app: App, listing: Listing<T>): Promise<void> {
  const { client } = await app.cluster();
  const keep = listing.keep ?? (() => true);
  const found = await withProgress(app.io.stderr, `Listing ${listing.noun}`, () =>
    client.list(listing.type, listing.options),
  );
  const items = found.items.filter(keep).sort(byName);
  if (!app.flags.watch || items.length) await printItems(app, listing, items);
  if (app.flags.watch) await follow(app, listing, { items, all: found.items });
}

const key = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;
const byName = (a: KubeObject, b: KubeObject): number => (key(a) < key(b) ? -1 : 1);

/** Prints each change after a list. What the watch tells first again is known by its version and left out. */
async function follow<T extends KubeObject>(
  app: App,
  listing: Listing<T>,
  { items, all }: { items: Stored<T>[]; all: Stored<T>[] },
): Promise<void> {
  const { client } = await app.cluster();
  const isNews = makeIsNews(all);
  const row = makeRow(app, listing, items);
  for await (const { type, object } of client.watch(listing.type, { ...listing.options, signal: app.signal })) {
    const shown = type === 'DELETED' ? deleted(object) : object;
    if (isNews(shown) && (listing.keep?.(object) ?? true)) await printChange(app, shown, row);
  }
}

/** Whether an object is another than when it was last seen. */
function makeIsNews(seen: readonly Stored<KubeObject>[]): (object: Stored<KubeObject>) => boolean {
  const version = ({ metadata }: Stored<KubeObject>) =>
    `${metadata.resourceVersion} ${metadata.deletionTimestamp ?? ''}`;
  const versions = new Map(seen.map((object) => [object.metadata.uid, version(object)]));
  return (object) => {
    const known = versions.get(object.metadata.uid) === version(object);
    versions.set(object.metadata.uid, version(object));
    return !known;
  };
}

/** Rows that stay in line with the table before them, and widen it when they must; the first of all brings the headings. */
function makeRow<T extends KubeObject>(app: App, listing: Listing<T>, before: Stored<T>[]) {
  let widths = before.length ? columnWidths(shownColumns(app, listing), before) : undefined;
  return (object: Stored<T>): string => {
    const columns = shownColumns(app, listing);
    const options = { ...terminalWidth(app), noHeadings: widths !== undefined, ...(widths && { widths }) };
    const printed = table(columns, [object], options);
    widths = columnWidths(columns, [object]).map((own, index) => Math.max(own, widths?.[index] ?? 0));
    return printed;
  };
}

/** A deleted object as its last row shows it. */
const deleted = <T extends KubeObject>(object: Stored<T>): Stored<T> => ({
  ...object,
  metadata: { ...object.metadata, deletionTimestamp: object.metadata.deletionTimestamp ?? 'now' },
});
