/**
 * The people of a local cluster: you, who may do everything, and three to try the rules with. Their tokens are made
 * once for each cluster and kept in its folder.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject, Person } from '../lib/api/meta.ts';

const ADMINS = 'tiny:local-admins';

/** What each is for, and may do in every project. */
export const TRIAL_PEOPLE = {
  alice: { groups: ['team'], may: 'starts Sessions and answers' },
  bob: { groups: ['team'], may: 'starts Sessions and answers' },
  carol: { groups: ['reviewers'], may: 'sees all and may answer, but may start nothing' },
} as const;

const AUTHENTICATED = 'system:authenticated';

export type Tokens = Record<string, string>;

/** A token for each name, made where the folder has none yet. */
export function loadTokens(folder: string, names: readonly string[]): Tokens {
  const file = join(folder, 'tokens.json');
  const known: Tokens = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const tokens = Object.fromEntries(names.map((name) => [name, known[name] ?? randomBytes(24).toString('base64url')]));
  writeFileSync(file, JSON.stringify({ ...known, ...tokens }), { mode: 0o600 });
  return tokens;
}

/** Who each name is to the API server. */
export function personOf(name: string, you: string): Person {
  const trial = TRIAL_PEOPLE[name as keyof typeof TRIAL_PEOPLE];
  const groups = name === you ? [ADMINS] : (trial?.groups ?? ['system:masters']);
  return { username: name, groups: [...groups, AUTHENTICATED] };
}

const rbac = (kind: string, name: string, rest: object): KubeObject =>
  ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata: { name }, ...rest }) as KubeObject;

const bind = (group: string, role: string): KubeObject =>
  rbac('ClusterRoleBinding', `tiny-local-${role}-${group.replaceAll(':', '-')}`, {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
  });

/** What binds the people of a local cluster to roles. */
export const localRoles = (): KubeObject[] => [
  rbac('ClusterRole', 'tiny-local-answerer', {
    rules: [{ apiGroups: ['tiny.dev'], resources: ['questions'], verbs: ['update', 'patch'] }],
  }),
  bind(ADMINS, 'cluster-admin'),
  bind('team', 'tiny-user'),
  bind('reviewers', 'tiny-viewer'),
  bind('reviewers', 'tiny-local-answerer'),
];
