/** The files that the engine's programs read: audit policy, authentication, tokens, kubeconfigs. Pure. */
import type { Person } from '../../lib/api/meta.ts';

/**
 * What the audit log holds. No Secret and no token gets into it; of a request that only reads, who, what and when is
 * enough; leases, health checks and the Events of others than functions are left out.
 */
export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
  rules: [
    { level: 'None', nonResourceURLs: ['/livez*', '/readyz*', '/healthz*', '/metrics', '/openapi/*'] },
    {
      level: 'Metadata',
      userGroups: ['system:serviceaccounts:tiny-system'],
      resources: [{ group: '', resources: ['events'] }],
    },
    {
      level: 'None',
      resources: [
        { group: 'coordination.k8s.io', resources: ['leases'] },
        { group: '', resources: ['events'] },
        { group: 'events.k8s.io', resources: ['events'] },
      ],
    },
    {
      level: 'Metadata',
      resources: [
        { group: '', resources: ['secrets', 'serviceaccounts/token'] },
        { group: 'authentication.k8s.io', resources: ['tokenreviews'] },
      ],
    },
    { level: 'Metadata', verbs: ['get', 'list', 'watch'] },
    { level: 'RequestResponse' },
  ],
};

/** Nobody is let in without a token but to ask after the server's health. */
export const AUTHENTICATION = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthenticationConfiguration',
  anonymous: { enabled: true, conditions: ['/livez', '/readyz', '/healthz'].map((path) => ({ path })) },
};

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const GIVEN_BY_SERVER = 'system:authenticated';

/** The API server's static token file: `token,user,uid,"group,group"`. */
export const tokenFile = (people: ReadonlyMap<string, Person>): string =>
  [...people]
    .map(([token, { username, uid = '', groups = [] }]) =>
      [token, username, uid, groups.filter((group) => group !== GIVEN_BY_SERVER).join(',')].map(quoted).join(','),
    )
    .join('\n');

/** A kubeconfig with one context. */
export const kubeconfig = (url: string, authorityFile: string, token: string) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'local', cluster: { server: url, 'certificate-authority': authorityFile } }],
  users: [{ name: 'local', user: { token } }],
  contexts: [{ name: 'local', context: { cluster: 'local', user: 'local' } }],
  'current-context': 'local',
});
