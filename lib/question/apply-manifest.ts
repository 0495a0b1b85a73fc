/**
 * A proposed object and the object that it stands for. Which object it is comes from the fields that admission has
 * read, and can't be said again in the rest; so what was let through is what is applied. Pure.
 */
import type { KubeObject } from '../api/meta.ts';
import type { Manifest } from '../api/question-parts.ts';

type Fields = Record<string, unknown>;

/** The proposed object can't be applied as it is; the message says which and why. */
export class UnusableManifest extends Error {
  override name = 'UnusableManifest';
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As JSON without blanks whose keys are in order. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );

/** `ConfigMap team-a/app`, `Deployment.apps team-a/app`: kinds of one name in two groups are two. */
export const named = ({ apiVersion, kind, namespace, name }: Omit<Manifest, 'fields'>): string => {
  const [, group = ''] = String(apiVersion).split('/').reverse();
  return `${kind}${group && `.${group}`} ${namespace}/${name}`;
};

const refuse = (what: string, why: string): never => {
  throw new UnusableManifest(`${what} ${why}`);
};

/** Of metadata, all that a proposal may say besides which object it is. */
const METADATA = ['labels', 'annotations'];

/** What ties an object to a Session is for functions to say. */
const isOurs = (key: string): boolean =>
  key === 'tiny.dev' || key.startsWith('tiny.dev/') || key.includes('.tiny.dev/');

function checkMetadata(what: string, metadata: unknown): void {
  if (metadata === undefined) return;
  const fields = isObject(metadata) ? metadata : refuse(what, 'has a metadata that is no object');
  const more = Object.keys(fields).find((key) => !METADATA.includes(key));
  if (more) refuse(what, `sets metadata.${more}; of metadata, labels and annotations alone are applied`);
  for (const [field, values] of Object.entries(fields)) {
    if (!isObject(values)) refuse(what, `has a metadata.${field} that is no object`);
    const ours = Object.keys(values as Fields).find(isOurs);
    if (ours) refuse(what, `sets ${ours}, which tiny alone sets`);
  }
}

const IDENTITY = ['apiVersion', 'kind'];

function checkFields(what: string, fields: Fields): void {
  const again = IDENTITY.find((key) => key in fields);
  if (again) refuse(what, `says ${again} a second time`);
  if ('status' in fields) refuse(what, 'sets status, which is not applied: leave it out');
  checkMetadata(what, fields.metadata);
}

function parsed(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(what, 'has fields that are no JSON');
  }
}

/** The object to apply. Throws `UnusableManifest` where the fields say what they may not, or not in the one way. */
export function objectOf(manifest: Manifest): KubeObject {
  const { apiVersion, kind, namespace, name } = manifest;
  const what = named(manifest);
  const fields = parsed(what, manifest.fields);
  if (!isObject(fields)) return refuse(what, 'has fields that are no JSON object');
  // One way to write it: a key that stands twice would be read by others as something else.
  if (canonical(fields) !== manifest.fields)
    refuse(what, 'has fields that are not written in the one way: keys in order, no blanks, none twice');
  checkFields(what, fields);
  return { ...fields, apiVersion, kind, metadata: { ...(fields.metadata as Fields | undefined), namespace, name } };
}

/** The proposal that stands for `object`, in `namespace` where it names none. Throws `UnusableManifest`. */
export function manifestOf(object: unknown, namespace: string): Manifest {
  if (!isObject(object)) return refuse('a document', 'is no Kubernetes object');
  const { apiVersion, kind, metadata, ...rest } = object;
  const { name, namespace: own = namespace, ...more } = isObject(metadata) ? metadata : {};
  if (![apiVersion, kind, name, own].every((part) => typeof part === 'string'))
    refuse('a document', 'lacks apiVersion, kind or metadata.name');
  const fields = canonical({ ...rest, ...(Object.keys(more).length > 0 && { metadata: more }) });
  const manifest = { apiVersion, kind, namespace: own, name, fields } as Manifest;
  objectOf(manifest);
  return manifest;
}
