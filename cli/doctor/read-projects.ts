/** Reads the projects, and asks the server for the rights of whoever acts in them. */
import { join } from 'node:path';
import type { KubeObject, Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { samePerson } from '../../lib/identity/person.ts';
import { resourceTypeOf } from '../../lib/install/apply.ts';
import { readManifests } from '../../lib/install/manifests.ts';
import { isForbidden, isNotFound } from '../../lib/kube/errors.ts';
import { type Client, PODS, SESSIONS } from '../../lib/kube/types.ts';
import { ROOT } from '../install/plan.ts';
import type { Checked, Pod, Project, Read, System } from './observed.ts';
import { readAll } from './read.ts';
import { actingRights, ownRights, type Right, requesterRights } from './rights.ts';

/** Requests at once. */
const AT_ONCE = 8;

/** What of `rbac/project` is there. */
async function partsOf(client: Client, namespace: string, parts: readonly KubeObject[]): Promise<Read<string[]>> {
  try {
    const found = await Promise.all(
      parts.map((one) => client.get(resourceTypeOf(one), { namespace, name: one.metadata.name })),
    );
    return { value: parts.filter((_, index) => found[index]).map(nameOf) };
  } catch (error) {
    if (isForbidden(error)) return { hidden: error.message };
    throw error;
  }
}

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind}/${metadata.name}`;

async function readProject(client: Client, namespace: string, functions: boolean): Promise<Project> {
  const parts = functions
    ? readManifests(join(ROOT, 'rbac/project'))
    : readManifests(join(ROOT, 'rbac/minimal')).filter(({ kind }) => kind === 'ServiceAccount');
  const [present, sessions, pods] = await Promise.all([
    partsOf(client, namespace, parts),
    readAll(client, SESSIONS, { namespace }),
    readAll(client, PODS, { namespace, labelSelector: 'app.kubernetes.io/name=tiny-session' }) as Promise<Read<Pod[]>>,
  ]);
  return { namespace, present, expected: parts.map(nameOf), sessions: sessions as Read<Session[]>, pods };
}

/** Every namespace with a Session or an agents' account. */
async function namespacesOf(client: Client): Promise<string[]> {
  const accounts = resourceTypeOf({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: '' } });
  const reads = await Promise.all([
    readAll(client, SESSIONS),
    readAll(client, accounts, { fieldSelector: 'metadata.name=tiny-agent' }),
  ]);
  const found = reads.flatMap((read) => ('value' in read ? (read.value as Stored<KubeObject>[]) : []));
  return [...new Set(found.map(({ metadata }) => metadata.namespace ?? ''))].filter(Boolean).sort();
}

/** One namespace, or all in which tiny is used. */
export async function readProjects(
  client: Client,
  { functions }: System,
  namespace: string | undefined,
): Promise<Project[]> {
  const names = namespace ? [namespace] : await namespacesOf(client);
  return Promise.all(names.map((name) => readProject(client, name, functions)));
}

/** Each requester once a project: by the first Session that is theirs. */
function requesters({ namespace, sessions }: Project): Right[] {
  const all = 'value' in sessions ? sessions.value : [];
  const asked = all.flatMap(({ metadata, spec }) =>
    spec.requester ? [{ name: metadata.name, who: spec.requester }] : [],
  );
  const first = asked.filter(({ who }, index) => asked.findIndex((one) => samePerson(one.who, who)) === index);
  return first.flatMap(({ name, who }) => requesterRights(who, name, namespace));
}

const manifests = (folder: string): KubeObject[] => readManifests(join(ROOT, folder));

/** What must be allowed, where it is of interest. */
function wanted({ functions, features }: System, projects: readonly Project[]): Right[] {
  const asked = projects.flatMap(requesters);
  if (!functions) return asked;
  if (!features.constrainedImpersonation) return [...ownRights(manifests('rbac/classic')), ...asked];
  const all = [...manifests('rbac'), ...manifests('rbac/project')];
  return [
    ...ownRights(manifests('rbac')),
    ...projects.flatMap(({ namespace }) => actingRights(all, namespace)),
    ...asked,
  ];
}

/** A SubjectAccessReview's spec; a service account's groups are not stamped everywhere, and are known. */
const reviewOf = ({ who, of: _, ...attributes }: Right) => ({
  user: who.username,
  ...(who.uid && { uid: who.uid }),
  groups: who.groups ?? groupsOf(who.username),
  ...(who.extra && { extra: who.extra }),
  resourceAttributes: attributes,
});

/** `undefined` where the person may not ask about others. */
async function isAllowed(client: Client, right: Right): Promise<boolean | undefined> {
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: reviewOf(right) };
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  try {
    return (await client.request<{ status?: { allowed?: boolean } }>('POST', path, body)).status?.allowed ?? false;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

/** The groups that the API server adds to a service account. */
const groupsOf = (user: string): string[] => {
  const [, , namespace] = user.startsWith('system:serviceaccount:') ? user.split(':') : [];
  return [
    'system:authenticated',
    ...(namespace ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] : []),
  ];
};

/** Asks for each right; the first that may not be asked for ends the asking. The stand-in can't be asked. */
export async function readRights(client: Client, system: System, projects: readonly Project[]): Promise<Checked[]> {
  const rights = system.features.standIn ? [] : wanted(system, projects);
  const checked: Checked[] = [];
  for (let start = 0; start < rights.length; start += AT_ONCE) {
    const some = rights.slice(start, start + AT_ONCE);
    const allowed = await Promise.all(some.map((right) => isAllowed(client, right)));
    checked.push(...some.map((right, index) => ({ ...right, allowed: allowed[index] })));
    if (allowed.includes(undefined)) break;
  }
  return checked;
}
