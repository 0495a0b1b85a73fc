/** Service-account tokens by TokenRequest; a new one is asked for at 80 % of its life, as the kubelet does. */
import type { World } from '../controllers/loop.ts';
import type { Reader } from './files.ts';
import type { Pod } from './pod.ts';

interface TokenRequest {
  status: { token: string; expirationTimestamp: string };
}

/** `isBound`: whether `pod` is a real object (a function's is not), so that the token ends with it and names it. */
export function makeTokens({ client, now }: World, pod: Pod, isBound: boolean): Reader['token'] {
  const { name, namespace, uid } = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${pod.spec.serviceAccountName ?? 'default'}/token`;
  const boundObjectRef = isBound ? { apiVersion: 'v1', kind: 'Pod', name, uid } : undefined;
  const kept = new Map<number, { token: string; until: number }>();
  return async (expirationSeconds = 3600) => {
    const old = kept.get(expirationSeconds);
    if (old && now().getTime() < old.until) return old.token;
    const spec = { audiences: [], expirationSeconds, boundObjectRef };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    const { status } = await client.request<TokenRequest>('POST', path, body);
    const life = Date.parse(status.expirationTimestamp) - now().getTime();
    kept.set(expirationSeconds, { token: status.token, until: now().getTime() + life * 0.8 });
    return status.token;
  };
}
