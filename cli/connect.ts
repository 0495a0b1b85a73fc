/** The way to a cluster: kubeconfig in, client out. Loaded only by commands that need one. */
import { delimiter, join } from 'node:path';
import { makeClient } from '../lib/kube/client.ts';
import { loadKubeconfig } from '../lib/kube/kubeconfig.ts';
import { KubeconfigError } from '../lib/kube/kubeconfig-files.ts';
import type { Send } from '../lib/kube/send.ts';
import type { Connection, Where } from './app.ts';
import type { Environment } from './env.ts';
import { Failure } from './failure.ts';

/** Owns the fields that the command sets. */
const FIELD_MANAGER = 'tiny';

/** The local cluster's own kubeconfig, written by `tiny up`. */
const localKubeconfig = ({ data }: Environment): string => join(data, 'kubeconfig');

/**
 * The kubeconfigs in the order in which they hold: the flag's alone, else those of `$KUBECONFIG`, as kubectl takes
 * them; else `~/.kube/config` and then the local cluster's, so that after `tiny up` nothing needs to be set.
 */
export function kubeconfigFiles({ kubeconfig }: Where, env: Environment): string[] {
  if (kubeconfig) return [kubeconfig];
  if (env.kubeconfig) return env.kubeconfig.split(delimiter).filter(Boolean);
  return [join(env.home, '.kube', 'config'), localKubeconfig(env)];
}

/** No request is made yet. */
export async function connect(where: Where, env: Environment): Promise<Connection> {
  try {
    const files = kubeconfigFiles(where, env);
    const loaded = loadKubeconfig({ files, context: where.context, now: Date.now });
    const client = makeClient({ ...loaded.config, fieldManager: FIELD_MANAGER });
    const namespace = where.namespace ?? loaded.namespace;
    const send: Send = async (...sent) => {
      const { makeSend } = await import('../lib/kube/send.ts');
      await makeSend({ ...loaded.config, userAgent: FIELD_MANAGER, now: Date.now })(...sent);
    };
    return { client, namespace, context: loaded.context, server: loaded.config.server, send };
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    throw new Failure(error.message, '`tiny up` starts a local cluster; --kubeconfig and --context name another.');
  }
}
