/** The volumes of a Session's pod. Only the tools mount `credentials` and `push`, only the clone `git`. */
import type { V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import type { Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { promptSecretName } from './names.ts';

/** The lifetime of the tools' token in seconds; the kubelet renews it at four fifths. */
const TOKEN_SECONDS = 3600;

const credentials: V1Volume = {
  name: 'credentials',
  projected: {
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: TOKEN_SECONDS } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
    ],
  },
};

/** A Secret's files, for the pod's group alone. */
const secretVolume = (name: string, secretName: string | undefined): V1Volume[] =>
  secretName === undefined ? [] : [{ name, secret: { secretName, defaultMode: 0o440 } }];

/**
 * The Secrets of the agent's variables as files: what harness and tools take out of all that leaves the pod. Of a key
 * that several have the last one counts, here as among the variables.
 */
const secrets = (named: { secret: string }[]): V1Volume[] =>
  named.length === 0
    ? []
    : [
        {
          name: 'secrets',
          projected: { defaultMode: 0o440, sources: named.map(({ secret }) => ({ secret: { name: secret } })) },
        },
      ];

/** Where those files are. */
export const secretMounts = ({ spec }: Session): V1VolumeMount[] =>
  spec.credentials?.length ? [{ name: 'secrets', mountPath: '/etc/tiny/secrets', readOnly: true }] : [];

export function makeVolumes(session: Stored<Session>): V1Volume[] {
  const { repository, credentials: named = [] } = session.spec;
  return [
    { name: 'work', persistentVolumeClaim: { claimName: session.metadata.name } },
    { name: 'prompt', secret: { secretName: promptSecretName(session) } },
    ...secretVolume('git', repository?.credentialsSecret),
    ...secretVolume('push', repository?.push?.credentialsSecret),
    ...secrets(named),
    { name: 'run', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
    { name: 'tmp', emptyDir: {} },
    credentials,
  ];
}
