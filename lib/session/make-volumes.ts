/** The volumes of a Session's pod. Only the tools mount `credentials`. */
import type { V1Volume } from '@kubernetes/client-node';
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

export function makeVolumes(session: Stored<Session>): V1Volume[] {
  const git = session.spec.repository?.credentialsSecret;
  return [
    { name: 'work', persistentVolumeClaim: { claimName: session.metadata.name } },
    { name: 'prompt', secret: { secretName: promptSecretName(session) } },
    ...(git ? [{ name: 'git', secret: { secretName: git, defaultMode: 0o440 } }] : []),
    { name: 'run', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
    { name: 'tmp', emptyDir: {} },
    credentials,
  ];
}
