/**
 * Whether the admission policies are in force, found by trying: a Session and a Question that are made in a dry run
 * only. A policy over a kind that was defined a moment ago answers 503, or nothing at all, for up to half a minute
 * (seen on 1.37), so that it is there says little.
 */
import type { KubeObject } from '../api/meta.ts';
import { ApiError } from '../kube/errors.ts';
import { collectionPath } from '../kube/path.ts';
import { type Client, QUESTIONS, type ResourceType, SESSIONS } from '../kube/types.ts';

const NAME = 'tiny-probe';
/** Nobody's name: whoever could make a Session in it could lie about who asked. */
const LIE = 'tiny:nobody';
/** What rbac/policies/verify/spawn-settings.yaml refuses where no settings allow it. */
const MARK = { 'tiny.dev/more-secrets': '' };

/** What was seen of one policy. */
export interface Probed {
  what: 'Session' | 'Question';
  inForce: boolean;
  /** Whether the person may try at all. */
  untried?: true;
  /** What the server said or did. */
  saw: string;
}

const session = (namespace: string): KubeObject & { spec: object } => ({
  apiVersion: 'tiny.dev/v1alpha1',
  kind: 'Session',
  metadata: { name: NAME, namespace },
  spec: { prompt: 'a probe', requester: { username: LIE } },
});

const question = (namespace: string): KubeObject & { spec: object } => ({
  apiVersion: 'tiny.dev/v1alpha1',
  kind: 'Question',
  metadata: { name: NAME, namespace, labels: MARK },
  spec: {
    session: NAME,
    kind: 'Ask',
    text: 'a probe',
  },
});

type Made = KubeObject & { spec?: { requester?: { username?: string } } };

async function dryCreate(client: Client, type: ResourceType, object: KubeObject): Promise<Made | ApiError> {
  const path = `${collectionPath(type, object.metadata.namespace)}?dryRun=All`;
  return client.request<Made>('POST', path, object).catch((error: unknown) => {
    if (error instanceof ApiError) return error;
    throw error;
  });
}

const byPolicy = ({ message }: ApiError): boolean => message.includes('ValidatingAdmissionPolicy');
const byRights = (error: ApiError): boolean => error.code === 403 && !byPolicy(error);

/** A lie about the requester must not get through: where the cluster `stamps` it is overruled, else refused. */
export function judgeSession(answer: Made | ApiError, stamps: boolean): Probed {
  if (answer instanceof ApiError) {
    const judged = judgeError('Session', answer);
    return judged.inForce && stamps ? { ...judged, inForce: false, saw: 'verified, and not yet stamped' } : judged;
  }
  const stamped = answer.spec?.requester?.username;
  if (!stamped || stamped === LIE)
    return { what: 'Session', inForce: false, saw: 'nobody stamps or verifies who asks' };
  return { what: 'Session', inForce: true, saw: `stamped as ${stamped}` };
}

/** The Question asks for what no settings allow: it must be refused. */
export const judgeQuestion = (answer: Made | ApiError): Probed =>
  answer instanceof ApiError
    ? judgeError('Question', answer)
    : { what: 'Question', inForce: false, saw: 'a Question that no settings allow was taken' };

function judgeError(what: Probed['what'], error: ApiError): Probed {
  if (byPolicy(error)) return { what, inForce: true, saw: 'refused by a policy' };
  return { what, inForce: false, saw: error.message, ...(byRights(error) && { untried: true }) };
}

export interface Where {
  /** It needs to have no settings. */
  namespace: string;
  /** Whether the cluster has mutating policies. */
  stamps: boolean;
}

/** Tries both. */
export async function probePolicies(client: Client, { namespace, stamps }: Where): Promise<Probed[]> {
  const [asked, wanted] = await Promise.all([
    dryCreate(client, SESSIONS, session(namespace)),
    dryCreate(client, QUESTIONS, question(namespace)),
  ]);
  return [judgeSession(asked, stamps), judgeQuestion(wanted)];
}
