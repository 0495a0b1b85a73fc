/**
 * The manifests of `crds/`, `rbac/` and `knative/` as objects, in the order in which they are applied. A
 * kustomization is read for its list of resources only: that is all that the bases here use, and anything else in
 * one is refused rather than passed over.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../api/meta.ts';

const KNOWN = ['apiVersion', 'kind', 'resources'];

/** The objects of a YAML file, or of a folder with or without a kustomization. Throws where a kustomization does more than list. */
export function readManifests(path: string): KubeObject[] {
  if (/\.ya?ml$/.test(path)) return documents(path);
  return resourcesOf(path).flatMap((entry) => readManifests(join(path, entry)));
}

function resourcesOf(folder: string): string[] {
  const file = join(folder, 'kustomization.yaml');
  if (!existsSync(file))
    return readdirSync(folder)
      .filter((name) => /\.ya?ml$/.test(name))
      .sort();
  const kustomization = parse(readFileSync(file, 'utf8')) as Record<string, unknown> & { resources?: string[] };
  const more = Object.keys(kustomization).filter((key) => !KNOWN.includes(key));
  if (more.length) throw new Error(`${file} has ${more.join(', ')}, which is not read here; build it with kustomize`);
  return kustomization.resources ?? [];
}

/** The documents of a file that hold anything. Throws where one is no YAML: half of a manifest is another manifest. */
const documents = (file: string): KubeObject[] =>
  parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new Error(`${file} is no YAML: ${error.message}`);
    const object = document.toJS() as KubeObject | null;
    return object ? [object] : [];
  });
