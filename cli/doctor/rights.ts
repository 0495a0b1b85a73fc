/** Which rights tiny's own accounts and the people behind Sessions need, as the API server can be asked. Pure. */
import type { Person } from '../../lib/api/meta.ts';

export interface Right {
  who: Person;
  /** What it is for: a part of tiny, or a Session. */
  of: string;
  verb: string;
  group: string;
  resource: string;
  subresource?: string;
  namespace?: string;
}

type Kind = Pick<Right, 'group' | 'resource' | 'subresource'>;

const account = (name: string): Person => ({ username: `system:serviceaccount:tiny-system:${name}` });
const TINY = 'tiny.dev';
const SESSIONS: Kind = { group: TINY, resource: 'sessions' };
const QUESTIONS: Kind = { group: TINY, resource: 'questions' };
const SESSION_STATUS: Kind = { ...SESSIONS, subresource: 'status' };
const QUESTION_STATUS: Kind = { ...QUESTIONS, subresource: 'status' };
const DEPLOYMENTS: Kind = { group: 'apps', resource: 'deployments' };
const USERS: Kind = { group: 'authentication.k8s.io', resource: 'users' };

/** What a Session is made of; server-side apply takes `patch`, too. */
const CHILDREN: [verb: string, kind: Kind][] = [
  ['create', { group: '', resource: 'persistentvolumeclaims' }],
  ['create', { group: '', resource: 'secrets' }],
  ['create', { group: 'networking.k8s.io', resource: 'networkpolicies' }],
  ['create', DEPLOYMENTS],
  ['patch', DEPLOYMENTS],
];

/** The event source sees what it tells of: without, it is never ready. */
export const sourceRights = (): Right[] =>
  [SESSIONS, QUESTIONS].flatMap((kind) =>
    ['get', 'list', 'watch'].map((verb) => ({ who: account('source'), of: 'the event source', verb, ...kind })),
  );

/** What the functions do as themselves, in every namespace. */
export function functionRights(constrained: boolean): Right[] {
  const own: [name: string, verb: string, kind: Kind][] = [
    ['session', 'get', SESSIONS],
    ['session', 'patch', SESSION_STATUS],
    ['question', 'get', QUESTIONS],
    ['question', 'patch', QUESTION_STATUS],
    ['question', 'patch', SESSION_STATUS],
  ];
  const acting: [name: string, verb: string, kind: Kind][] = ['session', 'question'].map((name) => [
    name,
    'impersonate:user-info',
    USERS,
  ]);
  return [...own, ...(constrained ? acting : [])].map(([name, verb, kind]) => ({
    who: account(name),
    of: `function ${name}`,
    verb,
    ...kind,
  }));
}

/** What the functions may do in people's names in one project. */
export const actingRights = (namespace: string): Right[] => [
  {
    who: account('session'),
    of: 'function session',
    verb: 'impersonate-on:user-info:create',
    ...DEPLOYMENTS,
    namespace,
  },
  {
    who: account('question'),
    of: 'function question',
    verb: 'impersonate-on:user-info:create',
    ...SESSIONS,
    namespace,
  },
];

/** What a requester needs for what a Session is made of. */
export const requesterRights = (who: Person, of: string, namespace: string): Right[] =>
  CHILDREN.map(([verb, kind]) => ({ who, of, verb, ...kind, namespace }));

/** `create deployments.apps`. */
export const inWords = ({ verb, group, resource, subresource }: Right): string =>
  `${verb} ${resource}${group ? `.${group}` : ''}${subresource ? `/${subresource}` : ''}`;
