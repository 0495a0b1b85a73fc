/** The API server as a pod sees it: address from its environment, the rest from a folder that the kubelet fills. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerConfig } from './client.ts';
import { tokenFile } from './token-file.ts';

export interface InCluster {
  /** Holds `token`, `ca.crt` and, where it is asked for, `namespace`. */
  folder: string;
  /** `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`. */
  host: string;
  port: string | number;
  /** Milliseconds. Default: the system clock. */
  now?: () => number;
}

/** @throws where `ca.crt` can't be read. The token is read later, and again whenever it may have been rotated. */
export function inCluster({ folder, host, port, now = Date.now }: InCluster): ServerConfig {
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: readFileSync(join(folder, 'ca.crt')),
    auth: tokenFile(join(folder, 'token'), now),
  };
}
