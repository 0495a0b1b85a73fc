/** The tools of a Session's pod, as they ask, where no controller makes the pod. */
import { randomBytes } from 'node:crypto';
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { type Client, PODS, QUESTIONS } from '../../lib/kube/types.ts';
import { question } from './objects.ts';

/** What it takes of an API server. */
export interface AskedServer {
  admin: Client;
  clientOf: (token: string, fieldManager?: string) => Client;
}

/** A token of a service account, `NAMESPACE/NAME`. */
export async function tokenFor(admin: Client, account: string, boundObjectRef?: object): Promise<string> {
  const [namespace, name] = account.split('/');
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const spec = { expirationSeconds: 3600, ...(boundObjectRef && { boundObjectRef }) };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  return (await admin.request<{ status: { token: string } }>('POST', path, body)).status.token;
}

/** As a namespace with the Pod Security level `restricted` asks it. */
const RESTRICTED = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

/** A pod of the agents' account, as a token can be bound to it. */
export async function podOf(admin: Client, metadata: { namespace: string; name: string; labels?: object }) {
  const container = { name: 'c', image: 'i', securityContext: RESTRICTED };
  const spec = { serviceAccountName: 'tiny-agent', containers: [container] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec } as Parameters<Client['create']>[1];
  const { uid } = (await admin.create(PODS, pod as never)).metadata;
  return { apiVersion: 'v1', kind: 'Pod', name: metadata.name, uid };
}

/** A client of the agent of a Session, by a token that is bound to a pod named as the Session's would be. */
export async function askerOf({ admin, clientOf }: AskedServer, namespace: string, session: string): Promise<Client> {
  const name = `${session}-asks-${randomBytes(3).toString('hex').slice(1)}`;
  const labels = { 'tiny.dev/session': session };
  const pod = await podOf(admin, { namespace, name, labels });
  return clientOf(await tokenFor(admin, `${namespace}/tiny-agent`, pod), 'tiny-agent');
}

/** Asks as the agent of a Session. */
export async function askOf(
  server: AskedServer,
  [namespace, session]: [namespace: string, session: string],
  more: Parameters<typeof question>[2] = {},
): Promise<Stored<Question>> {
  const agent = await askerOf(server, namespace, session);
  return await agent.create(QUESTIONS, question(namespace, session, more));
}
