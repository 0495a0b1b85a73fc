/** Service-account tokens by TokenRequest, bound to the pod; a new one is asked for at 80 % of its life, as the kubelet does. */
import type { World } from '../controllers/loop.ts';
import type { Pod } from './pod.ts';
import type { Tokens } from './projections.ts';

interface TokenRequest {
  status: { token: string; expirationTimestamp: string };
}

/** `bound`: whether `pod` is a real object (a function's is not), so that the token ends with it and names it. */
export function makeTokens({ client, now }: Pick<World, 'client' | 'now'>, pod: Pod, bound: boolean): Tokens {
  const kept = new Map<string, { token: string; until: number }>();
  const { name, namespace, uid } = pod.metadata;
  const account = pod.spec.serviceAccountName ?? 'default';
  return async (audience, expirationSeconds = 3600) => {
    const key = `${audience} ${expirationSeconds}`;
    const old = kept.get(key);
    if (old && now().getTime() < old.until) return old.token;
    const { status } = await client.request<TokenRequest>(
      'POST',
      `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {
          audiences: audience === undefined ? [] : [audience],
          expirationSeconds,
          ...(bound ? { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } } : {}),
        },
      },
    );
    const life = Date.parse(status.expirationTimestamp) - now().getTime();
    kept.set(key, { token: status.token, until: now().getTime() + life * 0.8 });
    return status.token;
  };
}
