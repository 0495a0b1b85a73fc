/** Questions about identity and rights that the API server answers at once and does not keep: `kubectl auth …`. */
import type { Person } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import type { Attributes, Decision, RbacObjects } from '../types.ts';
import { authorize, rulesFor } from './rbac.ts';

interface AccessSpec {
  resourceAttributes?: Partial<Attributes>;
  nonResourceAttributes?: { path?: string; verb?: string };
  user?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

type Body = { spec?: AccessSpec & { namespace?: string }; metadata?: object };
interface Asked {
  user: Person;
  rbac: RbacObjects;
}

const REVIEWS: Record<string, (body: Body, asked: Asked) => Record<string, unknown>> = {
  SelfSubjectReview: (_, { user }) => ({ userInfo: user }),
  SelfSubjectAccessReview: ({ spec = {} }, { user, rbac }) => access(spec, user, rbac),
  SubjectAccessReview: ({ spec = {} }, { rbac }) => access(spec, subject(spec), rbac),
  LocalSubjectAccessReview: ({ spec = {} }, { rbac }) => access(spec, subject(spec), rbac),
  SelfSubjectRulesReview: rules,
};

/** The review with its `status`. Throws 400 and 422 where the question is none. */
export function review(kind: string, body: unknown, asked: Asked): Record<string, unknown> {
  const given = (body ?? {}) as Body & Record<string, unknown>;
  const answer = Object.hasOwn(REVIEWS, kind) ? REVIEWS[kind] : undefined;
  if (!answer) throw new ApiError(404, { reason: 'NotFound', message: `there is no review of kind ${kind}` });
  const { apiVersion, metadata = {}, spec = {} } = given;
  return { kind, apiVersion, metadata, spec, status: answer(given, asked) };
}

function access(spec: AccessSpec, user: Person, rbac: RbacObjects): Record<string, unknown> {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (Boolean(resource) === Boolean(path)) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    throw new ApiError(422, { reason: 'Invalid', message: `spec: Invalid value: null: ${why}` });
  }
  const nothing = {
    verb: '',
    group: '',
    version: '',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
    path: '',
  };
  const { allowed, reason }: Decision = authorize({ ...nothing, ...resource, ...path, user }, rbac);
  return { allowed, ...(reason && { reason }) };
}

const subject = ({ user = '', uid, groups, extra }: AccessSpec): Person => ({
  username: user,
  ...(uid && { uid }),
  ...(groups && { groups }),
  ...(extra && { extra }),
});

function rules({ spec: { namespace } = {} }: Body, { user, rbac }: Asked): Record<string, unknown> {
  if (!namespace) throw new ApiError(400, { reason: 'BadRequest', message: 'no namespace on request' });
  const all = rulesFor(user, namespace, rbac);
  return {
    resourceRules: all.filter(({ nonResourceURLs }) => !nonResourceURLs),
    nonResourceRules: all.filter(({ nonResourceURLs }) => nonResourceURLs),
    incomplete: false,
  };
}
