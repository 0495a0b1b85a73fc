/** Questions about identity and rights that the API server answers at once and does not keep: `kubectl auth …`. */
import type { Person } from '../../lib/api/meta.ts';
import { badRequest } from '../api/errors.ts';
import { type Attributes, NOTHING, type Rbac } from '../types.ts';
import { authorize, rulesFor } from './rbac.ts';

interface Spec {
  resourceAttributes?: Partial<Attributes>;
  nonResourceAttributes?: { path?: string; verb?: string };
  namespace?: string;
}

interface Asked {
  user: Person;
  rbac: Rbac;
}

/** Who one is, whether one may, and what one may do, by kind. */
const REVIEWS: Record<string, (spec: Spec, asked: Asked) => object> = {
  SelfSubjectReview: (_, { user }) => ({ userInfo: user }),
  SelfSubjectAccessReview: mayI,
  SelfSubjectRulesReview: rules,
};

/** The review with its `status`. Throws 400 where it asks nothing. */
export function review(kind: string, body: unknown, asked: Asked): Record<string, unknown> {
  const { spec = {}, ...rest } = (body ?? {}) as { spec?: Spec };
  return { kind, metadata: {}, ...rest, spec, status: REVIEWS[kind]?.(spec, asked) };
}

function mayI({ resourceAttributes, nonResourceAttributes }: Spec, { user, rbac }: Asked): object {
  const asked = resourceAttributes ?? nonResourceAttributes;
  if (!asked) throw badRequest('nonResourceAttributes or resourceAttributes must be specified');
  return { allowed: authorize({ ...NOTHING, verb: '', ...asked, user }, rbac) };
}

function rules({ namespace }: Spec, { user, rbac }: Asked): object {
  if (!namespace) throw badRequest('no namespace on request');
  const all = rulesFor(user, namespace, rbac);
  return {
    resourceRules: all.filter(({ nonResourceURLs }) => !nonResourceURLs),
    nonResourceRules: all.filter(({ nonResourceURLs }) => nonResourceURLs),
    incomplete: false,
  };
}
