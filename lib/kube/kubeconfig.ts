/** The API server, identity and namespace that a kubeconfig's context names. */
import { readFileSync } from 'node:fs';
import type { Person } from '../api/meta.ts';
import type { ServerConfig } from './client.ts';
import {
  type ClusterEntry,
  type ContextEntry,
  type Kubeconfig,
  KubeconfigError,
  readKubeconfigs,
  type UserEntry,
} from './kubeconfig-files.ts';
import { pluginCredentials } from './plugin-credentials.ts';
import { tokenFile } from './token-file.ts';

export interface KubeconfigOptions {
  /** In kubectl's order: those of `$KUBECONFIG`, else `~/.kube/config`. */
  files: readonly string[];
  /** Default: the current context. */
  context?: string | undefined;
  /** Milliseconds. */
  now: () => number;
}

export interface KubeconfigContext {
  config: ServerConfig;
  context: string;
  /** The kubeconfig's own name of the user; the API server may know another. */
  user: string;
  namespace: string;
}

/** Data in the kubeconfig holds over a file. */
const pem = (data: string | undefined, path: string | undefined): Buffer | undefined => {
  if (data) return Buffer.from(data, 'base64');
  return path ? readFileSync(path) : undefined;
};

/** As client-go: a token file holds over a token, a plugin over neither. */
function authOf(name: string, user: UserEntry, now: () => number): ServerConfig['auth'] {
  if (user.tokenFile) return tokenFile(user.tokenFile, now);
  if (user.token) return { token: String(user.token) };
  if (user.exec ?? user['auth-provider']) return pluginCredentials(name, user);
  return {
    certificate: pem(user['client-certificate-data'], user['client-certificate']),
    key: pem(user['client-key-data'], user['client-key']),
  };
}

function impersonated(user: UserEntry): Person | undefined {
  if (!user.as) return undefined;
  const { as: username, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user;
  return { username, ...(uid && { uid }), ...(groups && { groups }), ...(extra && { extra }) };
}

function serverOf(name: string, cluster: ClusterEntry): Omit<ServerConfig, 'auth'> {
  if (!cluster.server) throw new KubeconfigError(`the kubeconfig's cluster ${name} has no server`);
  const proxyUrl = cluster['proxy-url'] || undefined;
  if (proxyUrl && !/^https?:/.test(proxyUrl)) {
    throw new KubeconfigError(
      `the kubeconfig's cluster ${name} has the proxy ${proxyUrl}; only http and https can be used`,
    );
  }
  return {
    server: cluster.server,
    ca: pem(cluster['certificate-authority-data'], cluster['certificate-authority']),
    insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'],
    tlsServerName: cluster['tls-server-name'] || undefined,
    proxyUrl,
  };
}

function contextOf({ contexts, current }: Kubeconfig, wanted: string | undefined): [string, ContextEntry] {
  const name = wanted ?? current;
  const known = [...contexts.keys()].join(', ') || 'none';
  if (!name) throw new KubeconfigError(`the kubeconfig has no current context; name one with --context (${known})`);
  const entry = contexts.get(name);
  if (!entry) throw new KubeconfigError(`the kubeconfig has no context ${name}; it has: ${known}`);
  return [name, entry];
}

/**
 * Reads no network and starts no plugin; that happens with the first request.
 *
 * @throws KubeconfigError, which says what is missing, or a file's error.
 */
export function loadKubeconfig({ files, context: wanted, now }: KubeconfigOptions): KubeconfigContext {
  const kubeconfig = readKubeconfigs(files);
  const [context, { cluster = '', user = '', namespace }] = contextOf(kubeconfig, wanted);
  const clusterEntry = kubeconfig.clusters.get(cluster);
  const userEntry = kubeconfig.users.get(user);
  if (!clusterEntry)
    throw new KubeconfigError(`the context ${context} names the cluster ${cluster}, which is not there`);
  if (!userEntry && user) throw new KubeconfigError(`the context ${context} names the user ${user}, who is not there`);
  const config = {
    ...serverOf(cluster, clusterEntry),
    auth: authOf(user, userEntry ?? {}, now),
    impersonate: impersonated(userEntry ?? {}),
  };
  return { config, context, user, namespace: namespace || 'default' };
}
