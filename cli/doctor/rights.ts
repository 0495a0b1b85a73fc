/**
 * Which rights tiny's own accounts have, as the manifests of `rbac/` give them, and which the people behind Sessions need,
 * as the API server can be asked. Pure.
 */
import type { KubeObject, Person } from '../../lib/api/meta.ts';

export interface Right {
  who: Person;
  /** What it is for: a part of tiny, or a Session. */
  of: string;
  verb: string;
  group: string;
  resource: string;
  subresource?: string;
  name?: string;
  namespace?: string;
}

type Kind = Pick<Right, 'group' | 'resource' | 'subresource' | 'name'>;

const DEPLOYMENTS: Kind = { group: 'apps', resource: 'deployments' };

/** What a Session is made of; server-side apply takes `patch`, too. */
const CHILDREN: [verb: string, kind: Kind][] = [
  ['create', { group: '', resource: 'persistentvolumeclaims' }],
  ['create', { group: '', resource: 'secrets' }],
  ['create', { group: 'networking.k8s.io', resource: 'networkpolicies' }],
  ['create', DEPLOYMENTS],
  ['patch', DEPLOYMENTS],
];

interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}
type Role = KubeObject & { rules?: Rule[] };
type Binding = KubeObject & { roleRef: { name: string }; subjects: { kind: string; name: string }[] };

function kindsOf({ apiGroups, resources, resourceNames }: Rule): Kind[] {
  const names = resourceNames?.map((name) => ({ name })) ?? [{}];
  return apiGroups.flatMap((group) =>
    resources.flatMap((path) => {
      const [resource = '', subresource] = path.split('/');
      return names.map((name) => ({ group, resource, ...(subresource && { subresource }), ...name }));
    }),
  );
}

const verbsOf = (rule: Rule): Pick<Right, 'verb' | keyof Kind>[] =>
  kindsOf(rule).flatMap((kind) => rule.verbs.map((verb) => ({ verb, ...kind })));

const isBinding = ({ kind }: KubeObject): boolean => kind.endsWith('Binding');

/** What a binding gives to each of tiny's accounts. */
function givenBy(binding: Binding, manifests: readonly KubeObject[]): Right[] {
  const role = manifests.find((one) => /Role$/.test(one.kind) && one.metadata.name === binding.roleRef.name) as Role;
  const { namespace } = binding.metadata;
  return binding.subjects
    .filter(({ kind }) => kind === 'ServiceAccount')
    .flatMap(({ name }) => {
      const who = { username: `system:serviceaccount:tiny-system:${name}` };
      const of = name === 'source' ? 'the event source' : `function ${name}`;
      return (role.rules ?? []).flatMap(verbsOf).map((verb) => ({ who, of, ...verb, ...(namespace && { namespace }) }));
    });
}

/** What tiny's accounts do as themselves, and that they may act as somebody at all. `manifests`: `rbac/`. */
export const ownRights = (manifests: readonly KubeObject[]): Right[] =>
  manifests.filter(isBinding).flatMap((one) => givenBy(one as Binding, manifests));

/** That each function may act in people's names in one project, by one right each. `manifests`: `rbac/` and `rbac/project`. */
export const actingRights = (manifests: readonly KubeObject[], namespace: string): Right[] =>
  manifests
    .filter(isBinding)
    .flatMap((one) => givenBy(one as Binding, manifests).find(({ verb }) => verb.startsWith('impersonate-on:')) ?? [])
    .map((right) => ({ ...right, namespace }));

/** What a requester needs for what a Session is made of. */
export const requesterRights = (who: Person, of: string, namespace: string): Right[] =>
  CHILDREN.map(([verb, kind]) => ({ who, of, verb, ...kind, namespace }));

/** `create deployments.apps`. */
export const inWords = ({ verb, group, resource, subresource }: Right): string =>
  `${verb} ${resource}${group ? `.${group}` : ''}${subresource ? `/${subresource}` : ''}`;
