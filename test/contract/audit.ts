/** What the audit log shows when all is done: who acted in each project, and which rights were used. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readManifests } from '../../lib/install/manifests.ts';
import type { AuditEvent } from './audit-log.ts';
import { ACCOUNTS, type World } from './world.ts';

interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  rules?: Rule[];
  roleRef?: { name: string };
  subjects?: { name: string }[];
}

/** The event source is Knative's to run, and none here. */
const FUNCTIONS = ACCOUNTS.filter((account) => account !== 'source');
const SYSTEM = 'system:serviceaccount:tiny-system:';
const isFunction = (username: string) => FUNCTIONS.some((name) => username === SYSTEM + name);
const CHILDREN = ['persistentvolumeclaims', 'secrets', 'networkpolicies', 'deployments'];
const ACTS = new Set(['create', 'patch', 'update', 'delete']);
const isDone = ({ responseStatus }: AuditEvent) => (responseStatus?.code ?? 500) < 300;
/** What a function says as itself: a status, or an Event. */
const isReport = ({ objectRef }: AuditEvent) => Boolean(objectRef?.subresource) || objectRef?.resource === 'events';
const isDry = ({ requestURI }: AuditEvent) => requestURI.includes('dryRun');

/** The rights of one account by all that is bound to it, here and in each project, as `verb group/resource`. */
function granted(account: string): string[] {
  const folders = ['rbac', 'rbac/project'].map((folder) => join(import.meta.dirname, '../..', folder));
  const manifests = folders.flatMap((folder) => readManifests(folder)) as unknown as Manifest[];
  const roles = manifests
    .filter(({ subjects = [] }) => subjects.some(({ name }) => name === account))
    .map(({ roleRef }) => roleRef?.name);
  return manifests
    .filter(({ kind, metadata }) => /Role$/.test(kind) && roles.includes(metadata.name))
    .flatMap(({ rules = [] }) => rules)
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
      ),
    );
}

/** The rights that a request of a function took. */
function taken({ verb, objectRef = {}, impersonatedUser, authenticationMetadata }: AuditEvent): string[] {
  const { apiGroup = '', resource, subresource } = objectRef;
  const on = `${apiGroup}/${resource}${subresource ? `/${subresource}` : ''}`;
  if (!impersonatedUser) return [`${verb} ${on}`];
  const mode = authenticationMetadata?.impersonationConstraint?.replace('impersonate:', '');
  return [
    `impersonate-on:${mode}:${verb} ${on}`,
    mode === 'user-info'
      ? 'impersonate:user-info authentication.k8s.io/*'
      : 'impersonate:serviceaccount authentication.k8s.io/serviceaccounts',
  ];
}

interface Count {
  rights: number;
  used: number;
}
const total = (lines: readonly Count[]) => ({
  account: 'all functions',
  rights: lines.reduce((sum, { rights }) => sum + rights, 0),
  used: lines.reduce((sum, { used }) => sum + used, 0),
});

export function auditCases(world: () => World): void {
  describe('the audit log', () => {
    const ofFunctions = () =>
      world()
        .audit()
        .filter((event) => isFunction(event.user.username) && isDone(event) && !isDry(event));

    test("names a person and the constraint for each object of a Session, and a function's account for none", () => {
      const made = ofFunctions().filter(
        (event) => ACTS.has(event.verb) && !isReport(event) && event.objectRef?.namespace !== 'tiny-system',
      );
      expect(made.length).toBeGreaterThan(50);
      for (const { impersonatedUser, authenticationMetadata } of made) {
        expect(impersonatedUser?.username).toMatch(/^(?!system:(?!serviceaccount:))/);
        expect(authenticationMetadata?.impersonationConstraint).toMatch(/^impersonate:(user-info|serviceaccount)$/);
      }
      for (const resource of CHILDREN)
        expect(made.some(({ objectRef }) => objectRef?.resource === resource)).toBe(true);
    });

    test('shows no group of the cluster but system:authenticated and those of a service account', () => {
      const groups = ofFunctions().flatMap(({ impersonatedUser }) => impersonatedUser?.groups ?? []);
      const own = groups.filter(
        (group) => group.startsWith('system:') && !/^system:(authenticated|serviceaccounts(:.*)?)$/.test(group),
      );
      expect(own).toEqual([]);
    });

    test('shows that every right of a function is used', () => {
      const done = ofFunctions();
      const lines = FUNCTIONS.map((account) => {
        const used = new Set(done.filter(({ user }) => user.username === SYSTEM + account).flatMap(taken));
        const rights = granted(account);
        return {
          account: `function ${account}`,
          rights: rights.length,
          used: rights.filter((right) => used.has(right)).length,
          unused: rights.filter((right) => !used.has(right)),
        };
      });
      for (const { account, rights, used } of [...lines, total(lines)])
        process.stdout.write(`rights of ${account}: ${rights} granted, ${used} used\n`);
      expect(lines.flatMap(({ unused }) => unused)).toEqual([]);
    });
  });
}
