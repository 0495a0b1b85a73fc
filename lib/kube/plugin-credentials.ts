/**
 * Credentials that a program or an identity provider hands out (`exec`, `auth-provider`), through client-node, which
 * knows these protocols. Loaded only for such users: it costs half a second.
 */
import type { RequestOptions } from 'node:https';
import { ConnectionError } from './errors.ts';
import type { UserEntry } from './kubeconfig-files.ts';
import type { Credentials } from './transport.ts';

type Plugin = (options: RequestOptions) => Promise<void>;

async function load(name: string, entry: UserEntry): Promise<Plugin> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name, server: 'https://unused.invalid' }],
    users: [{ name, exec: entry.exec, authProvider: entry['auth-provider'] }],
    contexts: [{ name, cluster: name, user: name }],
    currentContext: name,
  });
  return (options) => config.applyToHTTPSOptions(options);
}

function credentialsOf({ headers, cert, key }: RequestOptions): Credentials {
  const { Authorization: bearer } = (headers ?? {}) as { Authorization?: string };
  return {
    token: bearer?.replace(/^Bearer /, ''),
    certificate: cert as Credentials['certificate'],
    key: key as Credentials['key'],
  };
}

/** Asks the plugin of the kubeconfig's user `name`; client-node keeps its answer until it expires. */
export function pluginCredentials(name: string, entry: UserEntry): () => Promise<Credentials> {
  const what = entry.exec?.command ?? entry['auth-provider']?.name;
  let plugin: Promise<Plugin> | undefined;
  return async () => {
    plugin ??= load(name, entry);
    const options: RequestOptions = {};
    try {
      await (await plugin)(options);
    } catch (cause) {
      const message = `the credential plugin ${what} of the kubeconfig's user ${name} failed: ${(cause as Error).message}`;
      throw new ConnectionError(message, { cause });
    }
    return credentialsOf(options);
  };
}
