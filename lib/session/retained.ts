/**
 * Claims that outlived their Sessions. What a Session was is gone with it, so its claim says whose it was and what it worked
 * on. That is the word of whoever may write claims: it is shown, and says what a new Session goes on with, and nothing more. Pure.
 */
import type { V1PersistentVolumeClaim } from '@kubernetes/client-node';
import * as z from 'zod/mini';
import { ANNOTATION, type KubeObject, LABEL, type Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';

export type RetainedClaim = Stored<KubeObject> & Pick<V1PersistentVolumeClaim, 'spec' | 'status'>;

const text = z.string().check(z.maxLength(2048));
const memory = z.object({
  requester: z.optional(text),
  agent: z.object({ name: text, model: z.optional(text) }),
  repository: z.optional(z.object({ url: text, ref: z.optional(text) })),
});
export type Memory = z.infer<typeof memory>;

/** What the claim of `session` says of it. */
export function remembered({ spec: { requester, agent, repository } }: Session): string {
  return JSON.stringify({
    ...(requester && { requester: requester.username }),
    agent: { name: agent.name, ...(agent.model && { model: agent.model }) },
    ...(repository && { repository: { url: repository.url, ...(repository.ref && { ref: repository.ref }) } }),
  } satisfies Memory);
}

/** What it says; `undefined` where it says nothing that is understood. */
export function memoryOf({ metadata }: KubeObject): Memory | undefined {
  try {
    return z.safeParse(memory, JSON.parse(metadata.annotations?.[ANNOTATION.retained] ?? '')).data;
  } catch {
    return undefined;
  }
}

/** Of which Session it was, by its uid; `undefined` for a claim that belongs to somebody. */
export const formerUid = ({ metadata }: KubeObject): string | undefined =>
  metadata.ownerReferences?.length ? undefined : metadata.labels?.[LABEL.sessionUid];

/** Those whose Sessions are gone. */
export function outlived<T extends KubeObject>(claims: readonly T[], sessions: readonly Stored<Session>[]): T[] {
  const alive = new Set(sessions.map(({ metadata }) => metadata.uid));
  return claims.filter((claim) => {
    const uid = formerUid(claim);
    return uid !== undefined && !alive.has(uid);
  });
}

/** How large it is: as the volume is, else as was asked for. */
export const sizeOfClaim = ({ spec, status }: Pick<RetainedClaim, 'spec' | 'status'>): string | undefined =>
  status?.capacity?.['storage'] ?? spec?.resources?.requests?.['storage'];
