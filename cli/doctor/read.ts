/** Reads what a doctor looks at. What the person may not see is left hidden, and told as such. */
import { join } from 'node:path';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import { resourceTypeOf } from '../../lib/install/apply.ts';
import { detectFeatures, type Features } from '../../lib/install/features.ts';
import { readManifests } from '../../lib/install/manifests.ts';
import { type Probed, probePolicies } from '../../lib/install/probe.ts';
import { isForbidden, isNotFound } from '../../lib/kube/errors.ts';
import { type Client, type ListOptions, PODS, type ResourceType } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import { whoAmI } from '../identity.ts';
import { ROOT, SYSTEM } from '../install/plan.ts';
import type { Eventing, Pod, Read, Served, System } from './observed.ts';

/** All objects of a type; an unserved one has none. */
export async function readAll<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  options: ListOptions = {},
): Promise<Read<Stored<T>[]>> {
  try {
    return { value: (await client.list(type, options)).items };
  } catch (error) {
    if (isNotFound(error)) return { value: [] };
    if (isForbidden(error)) return { hidden: error.message };
    throw error;
  }
}

const clusterWide = (group: string, kind: string): ResourceType =>
  resourceTypeOf({ apiVersion: `${group}/v1`, kind, metadata: { name: '' } });

const ofKnative = (group: string, kind: string): ResourceType<Served> =>
  resourceTypeOf({ apiVersion: `${group}.knative.dev/v1`, kind, metadata: { name: '' } }) as ResourceType<Served>;

async function readEventing(client: Client): Promise<Eventing> {
  const list = (group: string, kind: string) => readAll(client, ofKnative(group, kind), { namespace: SYSTEM });
  const [sources, schedules, brokers, triggers, services] = await Promise.all([
    list('sources', 'ApiServerSource'),
    list('sources', 'PingSource'),
    list('eventing', 'Broker'),
    list('eventing', 'Trigger'),
    list('serving', 'Service'),
  ]);
  return { sources, schedules, brokers, triggers, services };
}

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`;

/** The names of all admission policies and their bindings. */
async function readPolicies(client: Client, expected: readonly KubeObject[]): Promise<Read<string[]>> {
  const kinds = [...new Set(expected.map(({ kind }) => kind))];
  const reads = await Promise.all(
    kinds.map((kind) => readAll(client, clusterWide('admissionregistration.k8s.io', kind))),
  );
  const hidden = reads.find((read) => 'hidden' in read);
  if (hidden) return hidden;
  return { value: reads.flatMap((read) => ('value' in read ? read.value.map(nameOf) : [])) };
}

/** When the server answered, by its own clock: it stamps even what it does not store. */
async function clockOf(app: App, client: Client) {
  const began = app.now().getTime();
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const review = await client.request<KubeObject>('POST', path, body).catch((error: unknown) => {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  });
  const now = app.now();
  const told = review?.metadata?.creationTimestamp;
  return { now, asked: now.getTime() - began, serverTime: told ? new Date(told) : undefined };
}

/** Whether the functions' roles are there; whoever may not look is taken to have them where Knative is. */
async function hasFunctions(client: Client, { knative }: Features): Promise<boolean> {
  const role = clusterWide('rbac.authorization.k8s.io', 'ClusterRole');
  const found = await client.get(role, { name: 'tiny-function-session-acts' }).catch((error: unknown) => {
    if (isForbidden(error)) return true;
    throw error;
  });
  return Boolean(found) && knative.eventing && knative.serving && knative.sources;
}

const manifests = (folder: string): KubeObject[] => readManifests(join(ROOT, folder));

/** The policies that belong to the cluster's version; none on the stand-in, which needs none. */
function expectedPolicies({ verifies, stamps }: Features): KubeObject[] {
  if (!verifies) return [];
  return manifests(stamps ? 'rbac/policies' : 'rbac/policies/verify');
}

/** Whether only the resources were installed: no role of tiny's, and none of its policies. */
async function isMinimal(client: Client, policies: Read<string[]>): Promise<boolean> {
  if ('hidden' in policies || policies.value.some((name) => name.includes('/tiny-'))) return false;
  const roles = await readAll(client, clusterWide('rbac.authorization.k8s.io', 'ClusterRole'), {
    labelSelector: 'app.kubernetes.io/part-of=tiny',
  });
  return 'value' in roles && roles.value.length === 0;
}

/** What is the same for all projects. */
export async function readSystem(app: App, client: Client): Promise<System> {
  const features = await detectFeatures(client);
  const all = expectedPolicies(features);
  const [clock, me, functions, definitions, policies, pods] = await Promise.all([
    clockOf(app, client),
    whoAmI(client),
    hasFunctions(client, features),
    readAll(client, clusterWide('apiextensions.k8s.io', 'CustomResourceDefinition')),
    readPolicies(client, all),
    readAll(client, PODS, { namespace: SYSTEM }) as Promise<Read<Pod[]>>,
  ]);
  const minimal = await isMinimal(client, policies);
  const eventing = functions ? await readEventing(client) : undefined;
  return {
    ...clock,
    ...{ me, features, functions, definitions, policies, pods, eventing },
    expected: {
      definitions: manifests('crds'),
      policies: minimal ? [] : all,
      eventing: manifests('knative'),
    },
    probes: minimal ? [] : await probe(client, features),
  };
}

/** A kind that is not served is another check's. The stand-in has no policies over Questions; it stamps by itself. */
async function probe(client: Client, { stamps, standIn }: Features): Promise<Probed[]> {
  const probed = await probePolicies(client, { namespace: SYSTEM, stamps });
  return probed.filter(({ saw, what }) => !/not found|could not find/.test(saw) && !(standIn && what === 'Question'));
}
