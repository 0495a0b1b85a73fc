/** The objects that the contract suite sends, and how it waits and looks. */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { KubeObject } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import type { Session, SessionStatus } from '../../lib/api/session.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { type Client, QUESTIONS, type ResourceType, SESSIONS } from '../../lib/kube/types.ts';

export const kind = (group: string, name: string, plural: string): ResourceType => ({
  group,
  version: 'v1',
  kind: name,
  plural,
  namespaced: true,
});
export const NAMESPACES: ResourceType = { ...kind('', 'Namespace', 'namespaces'), namespaced: false };
export const CONFIG_MAPS = kind('', 'ConfigMap', 'configmaps');
export const SERVICE_ACCOUNTS = kind('', 'ServiceAccount', 'serviceaccounts');
export const QUOTAS = kind('', 'ResourceQuota', 'resourcequotas');

export const settingsOf = (namespace: string, data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'tiny-settings', namespace },
  data,
});

/** Says who changes settings, for a cluster that stamps nobody. */
export const stated = (settings: ReturnType<typeof settingsOf>) => {
  const by = JSON.stringify({ username: 'tiny:engine-admin', groups: ['system:masters', 'system:authenticated'] });
  return { ...settings, metadata: { ...settings.metadata, annotations: { 'tiny.dev/changed-by': by } } };
};

/** Waits for a value, a minute at most. */
export async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; await setTimeout(50)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error('it did not come about within a minute');
}

/** The refusal of what must be refused. Throws where it was let through. */
export async function refusal(attempt: Promise<unknown>): Promise<ApiError> {
  const [result] = await Promise.allSettled([attempt]);
  if (result.status === 'fulfilled') throw new Error('this was let through');
  if (result.reason instanceof ApiError) return result.reason;
  throw result.reason;
}

export const session = (namespace: string, name: string, spec: Record<string, unknown> = {}) =>
  ({
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Session',
    metadata: { namespace, name },
    spec: { prompt: 'p', agent: { name: 'rehearsal' }, ...spec },
  }) as unknown as Session;

const OPTIONS = [
  { id: 'allow', text: 'Yes', effect: 'Allow' },
  { id: 'deny', text: 'No', effect: 'Deny' },
];
/** A Question of `of`, named as its tools would name it. */
export const question = (
  namespace: string,
  of: string,
  more: { hash?: string; labels?: Record<string, string>; spec?: object } = {},
) =>
  ({
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Question',
    metadata: {
      namespace,
      name: `${of}-${more.hash ?? randomBytes(5).toString('hex')}`,
      labels: { 'tiny.dev/spawn': '', ...more.labels },
    },
    spec: { session: of, kind: 'Ask', text: 'Which?', options: OPTIONS, ...more.spec },
  }) as unknown as Question;

export const spawning = (name: string, spec: object = {}, text = 'May I?') => ({
  kind: 'Spawn',
  text,
  spawn: { name, spec: { prompt: 'p', agent: { name: 'rehearsal' }, ...spec } },
});

export const answer = (client: Client, { metadata: { namespace = '', name } }: KubeObject, more: object = {}) =>
  client.patch<Question>(
    QUESTIONS,
    { namespace, name },
    { type: 'merge', body: { spec: { answer: { option: 'allow', ...more } } } },
  );

/** An answer that says who asked, as `tiny answer` does where the project wants it. */
export const answerOf = (client: Client, { metadata }: KubeObject, said: { requester: string; by?: object }) => {
  const { namespace = '', name } = metadata;
  const labels = { 'tiny.dev/answered-by-another': '' };
  const spec = { answer: { option: 'allow', ...(said.by && { by: said.by }) } };
  const body = { metadata: { labels, annotations: { 'tiny.dev/requester': said.requester } }, spec };
  return client.patch<Question>(QUESTIONS, { namespace, name }, { type: 'merge', body });
};

export const edit = (
  client: Client,
  { metadata: { namespace = '', name } }: KubeObject,
  spec: Record<string, unknown>,
) => client.patch<Session>(SESSIONS, { namespace, name }, { type: 'merge', body: { spec } });

/** What a condition of an object says as it is now. */
export async function told(
  client: Client,
  { kind: of, metadata: { namespace = '', name } }: KubeObject,
  about: string,
) {
  const type = of === 'Session' ? SESSIONS : QUESTIONS;
  const found = await client.get<KubeObject & { status?: SessionStatus }>(type, { namespace, name });
  const { status, reason, message } = found?.status?.conditions?.find((one) => one.type === about) ?? {};
  return { status, reason, message };
}
