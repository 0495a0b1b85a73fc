/** How pods that mount a Session's volume are confined: at the Pod Security level `restricted`, as one user. Pure. */
import type { V1Container, V1PodSecurityContext } from '@kubernetes/client-node';

/** The user that images of sessions run as; the volume belongs to its group. */
const USER = 10001;

/** What holds for a pod. */
export const POD_SECURITY: V1PodSecurityContext = {
  runAsNonRoot: true,
  runAsUser: USER,
  runAsGroup: USER,
  fsGroup: USER,
  fsGroupChangePolicy: 'OnRootMismatch',
  seccompProfile: { type: 'RuntimeDefault' },
};

/** The Pod Security level `restricted`, and a read-only root besides. */
export const confined = (container: V1Container): V1Container => ({
  ...container,
  // Whoever may read a pod's status, and not its log, is to learn why a container ended.
  terminationMessagePolicy: 'FallbackToLogsOnError',
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  },
});
