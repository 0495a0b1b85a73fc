/**
 * What a Session's pod may reach. Nothing may come in; out may go DNS, TLS (the agent's model, git over HTTPS), the
 * API server's usual port, and the ports of what the Session names: its repository, its model's server. But never an
 * address where clouds keep their credentials (link-local, and Alibaba's).
 * NetworkPolicy knows addresses, not names: a narrower rule for the model's host is the cluster's own to add.
 */
import type { V1NetworkPolicyEgressRule, V1NetworkPolicyPort, V1NetworkPolicySpec } from '@kubernetes/client-node';
import { type KubeObject, LABEL, type Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { METADATA, serverOf } from './metadata-addresses.ts';
import { childMeta } from './names.ts';

export interface NetworkPolicy extends KubeObject {
  spec: V1NetworkPolicySpec;
}

const tcp = (port: number): V1NetworkPolicyPort => ({ protocol: 'TCP', port });

/** The cluster's own DNS: pods (5353 where they run unprivileged), and the node-local cache's usual address. */
const DNS: V1NetworkPolicyEgressRule = {
  to: [{ namespaceSelector: {} }, { ipBlock: { cidr: '169.254.20.10/32' } }],
  ports: [53, 5353].flatMap((port) => [{ protocol: 'UDP', port }, tcp(port)]),
};

/** TLS, and the API server's usual port. */
const ALWAYS = [443, 6443];
const DEFAULT_PORT: Record<string, number> = { http: 80, https: 443, ssh: 22 };

/** The TCP port of a repository's URL; `user@host:path` is SSH. */
export function repositoryPort(url: string): number {
  const [, scheme = 'ssh', port] = /^([a-z]+):\/\/[^/]*?(?::([0-9]+))?\//.exec(url) ?? [];
  return Number(port ?? DEFAULT_PORT[scheme]);
}

function anywhereButLinkLocal({ spec }: Session): V1NetworkPolicyEgressRule {
  const { url, push } = spec.repository ?? {};
  const api = push?.pullRequests?.api;
  const named = [url, api && `${api}/`].flatMap((one) => (one ? [repositoryPort(one)] : []));
  const model = modelOf(spec);
  const ports = new Set([...ALWAYS, ...named, ...(model && !model.cidr ? [model.port] : [])]);
  return {
    to: [{ ipBlock: { cidr: '0.0.0.0/0', except: METADATA.v4 } }, { ipBlock: { cidr: '::/0', except: METADATA.v6 } }],
    ports: [...ports].map(tcp),
  };
}

/** The server of the agent's model, where its URL holds an address: then nothing else gets its port. */
function toModel({ spec }: Session): V1NetworkPolicyEgressRule[] {
  const { cidr, port = 443 } = modelOf(spec) ?? {};
  return cidr === undefined || ALWAYS.includes(port) ? [] : [{ to: [{ ipBlock: { cidr } }], ports: [tcp(port)] }];
}

const modelOf = ({ agent }: Session['spec']) =>
  agent.baseUrl === undefined ? undefined : serverOf(agent.baseUrl, DEFAULT_PORT);

const asked = ({ spec }: Session): V1NetworkPolicyEgressRule[] =>
  (spec.network?.egress ?? []).map(({ cidr, ports }) => ({
    to: [{ ipBlock: { cidr } }],
    ...(ports?.length && { ports: ports.map(tcp) }),
  }));

export const makeNetworkPolicy = (session: Stored<Session>): NetworkPolicy => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: childMeta(session),
  spec: {
    podSelector: { matchLabels: { [LABEL.sessionUid]: session.metadata.uid } },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [],
    egress: [DNS, anywhereButLinkLocal(session), ...toModel(session), ...asked(session)],
  },
});
