/**
 * Which kinds and namespaces an agent may ask for, as the project's settings say: `apply.kinds` and `apply.namespaces`
 * of ConfigMap tiny-settings, one a line. rbac/policies/verify/apply.yaml holds what is asked to the same; here it is
 * held once more when it is done, for settings may have changed, and for clusters without these policies. Pure.
 */
import type { Manifest } from '../api/question-parts.ts';
import { SETTINGS } from '../api/settings-ref.ts';
import { named } from './apply-manifest.ts';

/** The data of ConfigMap tiny-settings. */
export type Settings = Readonly<Record<string, string>>;

/**
 * Kinds that may be asked for where the settings name none. None of them starts a pod: who makes pods in a namespace
 * can use each of its Secrets and service accounts.
 */
export const DEFAULT_KINDS = [
  'ConfigMap',
  'Service',
  'HorizontalPodAutoscaler.autoscaling',
  'PodDisruptionBudget.policy',
];

/** `Deployment.apps`, `ConfigMap`: as the settings name it. */
export function kindOf({ apiVersion, kind }: Pick<Manifest, 'apiVersion' | 'kind'>): string {
  const [, group = ''] = apiVersion.split('/').reverse();
  return group ? `${kind}.${group}` : kind;
}

const lines = (text: string | undefined): string[] | undefined =>
  text
    ?.split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** What no setting allows: tiny's own kinds and settings, which say what agents may, and Secrets, as many read Questions. */
function isNever({ apiVersion, kind, name }: Manifest): boolean {
  if (apiVersion.includes('/')) return apiVersion.startsWith('tiny.dev/');
  return kind === 'Secret' || (kind === 'ConfigMap' && name === SETTINGS);
}

/** Whether it takes settings to ask for it; the Question is then marked. */
export const isMore = (manifest: Manifest, namespace: string): boolean =>
  manifest.namespace !== namespace || !DEFAULT_KINDS.includes(kindOf(manifest));

/** Whether the namespace with these settings takes proposals of agents of `project`. */
export const accepts = (settings: Settings | undefined, project: string): boolean =>
  lines(settings?.['apply.acceptFrom'])?.includes(project) ?? false;

/** Why it may not be asked for in the project `namespace`; `undefined` where it may. */
export function notAllowed(manifest: Manifest, namespace: string, settings: Settings = {}): string | undefined {
  const kinds = lines(settings['apply.kinds']) ?? DEFAULT_KINDS;
  const namespaces = lines(settings['apply.namespaces']) ?? [namespace];
  const kind = kindOf(manifest);
  if (isNever(manifest)) return `${named(manifest)} is never applied for an agent`;
  if (!kinds.includes(kind))
    return `${named(manifest)}: kind ${kind} is not applied for agents in this project; these are: ${kinds.join(', ')} (apply.kinds in ConfigMap tiny-settings)`;
  if (!namespaces.includes(manifest.namespace))
    return `${named(manifest)}: nothing is applied in that namespace for agents of this project; in these it is: ${namespaces.join(', ')} (apply.namespaces in ConfigMap tiny-settings)`;
  return undefined;
}
