/** Who the API server takes this person for: one SelfSubjectReview a run. */
import type { Person } from '../lib/api/meta.ts';
import { isForbidden, isNotFound } from '../lib/kube/errors.ts';
import type { Client } from '../lib/kube/types.ts';

interface SelfSubjectReview {
  status?: { userInfo?: Partial<Person> };
}

const PATH = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const known = new WeakMap<Client, Promise<Person | undefined>>();

const isUntold = (error: unknown): boolean => isForbidden(error) || isNotFound(error);

async function ask(client: Client): Promise<Person | undefined> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const review = await client.request<SelfSubjectReview>('POST', PATH, body).catch((error: unknown) => {
    if (isUntold(error)) return undefined;
    throw error;
  });
  const { username, uid, groups, extra } = review?.status?.userInfo ?? {};
  if (!username) return undefined;
  return { username, ...(uid && { uid }), ...(groups?.length && { groups }), ...(extra && { extra }) };
}

/** The person that `client` acts as; `undefined` where the cluster doesn't tell (before 1.28, or a right taken away). */
export function whoAmI(client: Client): Promise<Person | undefined> {
  const asked = known.get(client) ?? ask(client);
  known.set(client, asked);
  return asked;
}
