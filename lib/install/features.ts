/** What a cluster has, from its discovery alone: everyone who is authenticated may read that. */
import { isNotFound } from '../kube/errors.ts';
import type { Client } from '../kube/types.ts';

export interface Features {
  /** As the server says it, `v1.37.2`. */
  version: string;
  /** Of Kubernetes 1.x; 0 where it can't be told. */
  minor: number;
  /** Whether `impersonate-on:…` rights mean something: on by default since 1.36 (KEP-5284). */
  constrainedImpersonation: boolean;
  /** MutatingAdmissionPolicy in v1 (since 1.36): who acts is stamped. */
  stamps: boolean;
  /** ValidatingAdmissionPolicy in v1 (since 1.30): who acts is verified. */
  verifies: boolean;
  /** Of Knative, which API groups are served. */
  knative: { eventing: boolean; serving: boolean; sources: boolean };
  openshift: boolean;
  /** The local cluster's API server, which stamps and verifies by itself. */
  standIn: boolean;
}

interface Version {
  gitVersion?: string;
  minor?: string;
  /** Of a server that behaves as an older one. */
  emulationMinor?: string;
}

const CONSTRAINED_SINCE = 36;
const POLICIES = '/apis/admissionregistration.k8s.io/v1';

/** The resources that a group version has; none where it is not served. */
async function resourcesOf(client: Client, path: string): Promise<Set<string>> {
  try {
    const { resources = [] } = await client.request<{ resources?: { name: string }[] }>('GET', path);
    return new Set(resources.map(({ name }) => name));
  } catch (error) {
    if (isNotFound(error)) return new Set();
    throw error;
  }
}

async function groupsOf(client: Client): Promise<Set<string>> {
  const { groups = [] } = await client.request<{ groups?: { name: string }[] }>('GET', '/apis');
  return new Set(groups.map(({ name }) => name));
}

/** Asks the server; three requests. */
export async function detectFeatures(client: Client): Promise<Features> {
  const [version, groups, policies] = await Promise.all([
    client.request<Version>('GET', '/version'),
    groupsOf(client),
    resourcesOf(client, POLICIES),
  ]);
  const minor = Number.parseInt(version.emulationMinor ?? version.minor ?? '', 10) || 0;
  return {
    version: version.gitVersion ?? '',
    minor,
    constrainedImpersonation: minor >= CONSTRAINED_SINCE,
    stamps: policies.has('mutatingadmissionpolicies'),
    verifies: policies.has('validatingadmissionpolicies'),
    knative: {
      eventing: groups.has('eventing.knative.dev'),
      serving: groups.has('serving.knative.dev'),
      sources: groups.has('sources.knative.dev'),
    },
    openshift: groups.has('security.openshift.io'),
    standIn: /\+tiny\.standin/.test(version.gitVersion ?? ''),
  };
}
