/**
 * The person's own kubeconfig: `tiny up` adds the local cluster to it and makes it current, as kind and minikube do,
 * and `tiny down` takes it out again. All else in the file, comments included, stays.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { CONTEXT, type Kubeconfig } from '../../local/kubeconfig.ts';
import type { Environment } from '../env.ts';
import { Failure } from '../failure.ts';

const LISTS = ['clusters', 'users', 'contexts'] as const;
const CURRENT = 'current-context';
/** Where the context that was current before is kept. */
const BEFORE = 'tiny-previous-context';

/** The file that kubectl would write to. */
export const userKubeconfig = ({ kubeconfig, home }: Environment): string =>
  kubeconfig?.split(delimiter).find(Boolean) ?? join(home, '.kube', 'config');

function read(file: string): Document {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const document = text.trim() ? parseDocument(text) : new Document({ apiVersion: 'v1', kind: 'Config' });
  if (document.errors.length || !isMap(document.contents)) {
    throw new Failure(
      `${file} is no kubeconfig, and is left as it is`,
      'Put it right, or set KUBECONFIG to another file.',
    );
  }
  return document;
}

/** Throws `Failure` where the file is none that can be written to. */
export const checkKubeconfig = (file: string): void => void read(file);

/** A link stays a link: what it names is replaced. */
function write(link: string, document: Document): void {
  mkdirSync(dirname(link), { recursive: true, mode: 0o700 });
  const file = existsSync(link) ? realpathSync(link) : link;
  writeFileSync(`${file}.tiny`, document.toString({ lineWidth: 0 }), { mode: 0o600 });
  renameSync(`${file}.tiny`, file);
}

const isOurs = (item: unknown): boolean => isMap(item) && String((item as YAMLMap).get('name')).startsWith(CONTEXT);

function withoutOurs(document: Document): void {
  for (const list of LISTS) {
    const items = document.get(list);
    if (isSeq(items)) (items as YAMLSeq).items = items.items.filter((item) => !isOurs(item));
  }
}

/** Adds the local cluster's contexts and makes yours current. */
export function enter(file: string, kubeconfig: Kubeconfig): void {
  const document = read(file);
  withoutOurs(document);
  for (const list of LISTS) {
    const items = document.get(list);
    if (!isSeq(items)) document.set(list, document.createNode([]));
    for (const item of kubeconfig[list]) document.addIn([list], document.createNode(item));
  }
  const current = document.get(CURRENT);
  if (current && !String(current).startsWith(CONTEXT)) document.setIn(['preferences', BEFORE], current);
  document.set(CURRENT, CONTEXT);
  write(file, document);
}

/** Takes them out, and gives back the context that was current before. */
export function leave(file: string): void {
  if (!existsSync(file)) return;
  const document = read(file);
  withoutOurs(document);
  const before = document.getIn(['preferences', BEFORE]);
  if (before !== undefined) document.deleteIn(['preferences', BEFORE]);
  if (String(document.get(CURRENT) ?? '').startsWith(CONTEXT)) {
    if (before) document.set(CURRENT, before);
    else document.delete(CURRENT);
  }
  write(file, document);
}
