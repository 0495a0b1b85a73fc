/**
 * The stand-in for the admission policies of a cluster, with the same outcome: who acted is stamped by the server,
 * whatever the client wrote, the agent of a Session keeps to its own, and what is answered stays. Runs after managed fields are reckoned, so
 * that nobody owns a stamp.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Person } from '../../lib/api/meta.ts';
import { SETTINGS } from '../../lib/api/settings-ref.ts';
import { resourceName } from '../../lib/kube/path.ts';
import type { Stored } from '../types.ts';
import { holdAgent, holdOthers } from './agent.ts';
import { holdAnswered } from './answered.ts';
import type { AdmissionRequest } from './request.ts';

/** The ConfigMap of a project's settings, and where it says who changed it. */
export const CHANGED_BY = 'tiny.dev/changed-by';

type Json = Record<string, unknown>;

const STAMPS: Record<string, (request: AdmissionRequest) => Stored> = {
  'sessions.tiny.dev': stampRequester,
  'questions.tiny.dev': stampAnswerer,
  configmaps: stampSettings,
};

/** The object as it may be stored. Throws 403 for what the person may not do. */
export function admit(request: AdmissionRequest): Stored {
  const { operation, resource, subresource, object } = request;
  holdAgent(request);
  holdOthers(request);
  if (operation === 'DELETE' || subresource) return object;
  const stamped = STAMPS[resourceName(resource)]?.(request) ?? object;
  return holdAnswered({ ...request, object: stamped });
}

/** The requester is whoever made the spec what it is, with the groups they had then: at creation, and at every change. */
function stampRequester({ object, old, user }: AdmissionRequest): Stored {
  const { requester: _, ...spec } = (object.spec ?? {}) as Json;
  const { requester: before, ...oldSpec } = (old?.spec ?? {}) as Json & { requester?: Person };
  const changed = !old || !isDeepStrictEqual(spec, oldSpec);
  const requester = changed ? stampOf(user) : before;
  return { ...object, spec: { ...spec, ...(requester && { requester }) } };
}

/** The answerer is whoever set the answer; what comes after keeps the first stamp. */
function stampAnswerer({ object, old, user }: AdmissionRequest): Stored {
  const spec = (object.spec ?? {}) as Json & { answer?: Json };
  if (!spec.answer) return object;
  const before = (old?.spec as { answer?: { by?: Person } } | undefined)?.answer;
  const { by: _, ...answer } = spec.answer;
  const by = before ? before.by : stampOf(user);
  return { ...object, spec: { ...spec, answer: { ...answer, ...(by && { by }) } } };
}

/** Of the settings, an annotation says who changed them last. */
function stampSettings({ object, old, user }: AdmissionRequest): Stored {
  if (object.metadata.name !== SETTINGS) return object;
  const { [CHANGED_BY]: _, ...annotations } = object.metadata.annotations ?? {};
  const unchanged = old && isDeepStrictEqual(content(old), content(object));
  const by = unchanged ? old.metadata.annotations?.[CHANGED_BY] : JSON.stringify(stampOf(user));
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, ...(by && { [CHANGED_BY]: by }) } },
  };
}

const content = ({ data = {}, binaryData = {} }: Stored) => ({ data, binaryData });

/** As a CertificateSigningRequest records who asked. */
const stampOf = ({ username, uid, groups, extra }: Person): Person => ({
  username,
  ...(uid && { uid }),
  ...(groups && { groups }),
  ...(extra && { extra }),
});
