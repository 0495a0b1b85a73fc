/**
 * What the API server asks of a node: its object, and over HTTPS the logs of its containers. Whoever asks must show the
 * API server's own certificate.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { KubeObject } from '../../lib/api/meta.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import type { ResourceType } from '../../lib/kube/types.ts';
import { messageOf, type Part, type World } from '../controllers/loop.ts';
import { listen } from '../functions/port.ts';
import type { Node } from '../node/node.ts';
import { readPki } from './pki.ts';

const NODES: ResourceType = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

export interface KubeletOptions extends World {
  /** The node's name. */
  name: string;
  /** The folder of the engine's certificates. */
  pki: string;
  /** Of Kubernetes, as in `1.37.2`. */
  version: string;
  logs: Node['logs'];
}

/** Answers `GET /containerLogs/NAMESPACE/POD/CONTAINER`, as the kubelet does; all else is not there. */
async function answer(logs: Node['logs'], request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://node');
  const [, , namespace, pod, container] = url.pathname.split('/');
  if (!url.pathname.startsWith('/containerLogs/') || !namespace || !pod || !container) {
    response.writeHead(404).end('the stand-in gives logs only: there is no exec, attach or port-forward');
    return;
  }
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const tail = url.searchParams.get('tailLines');
  const has = (name: string) => url.searchParams.get(name) === 'true';
  const options = { follow: has('follow'), previous: has('previous'), ...(tail && { tailLines: Number(tail) }) };
  const log = logs({ namespace, pod, container }, options, gone.signal)[Symbol.asyncIterator]();
  const first = await log.next();
  response.flushHeaders();
  if (!first.done) response.write(first.value);
  await pipeline({ [Symbol.asyncIterator]: () => log }, response);
}

async function serve(options: KubeletOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await answer(options.logs, request, response);
  } catch (error) {
    if (response.headersSent) return void response.destroy();
    response.writeHead(error instanceof ApiError ? error.code : 500).end(messageOf(error));
  }
}

const condition = (type: string, status: 'True' | 'False', now: string) => ({
  type,
  status,
  reason: 'StandIn',
  message: 'pods are processes here',
  lastHeartbeatTime: now,
  lastTransitionTime: now,
});

/** Says that the node is there and Ready. It stays so: no controller watches it. */
async function register({ client, name, version, now }: KubeletOptions, port: number): Promise<void> {
  const time = now().toISOString();
  const labels = { 'kubernetes.io/hostname': name, 'tiny.dev/stand-in': 'true' };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
  const nothing = 'unknown';
  await client.apply(NODES, { ...node, metadata: { name, labels } } as KubeObject);
  await client.patch(NODES, { name }, { type: 'merge', body: { spec: { taints: null } } });
  await client.applyStatus(NODES, {
    ...node,
    status: {
      addresses: [
        { type: 'InternalIP', address: '127.0.0.1' },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
      capacity: { pods: '1000' },
      allocatable: { pods: '1000' },
      conditions: [condition('Ready', 'True', time)],
      nodeInfo: {
        machineID: nothing,
        systemUUID: nothing,
        bootID: nothing,
        kernelVersion: nothing,
        osImage: 'tiny stand-in: pods are processes',
        containerRuntimeVersion: 'process://1',
        kubeletVersion: `v${version}+tiny-stand-in`,
        kubeProxyVersion: '',
        operatingSystem: process.platform,
        architecture: process.arch,
      },
    },
  } as KubeObject);
}

/** Runs until stopped; the node is registered when the promise resolves. */
export async function startKubelet(options: KubeletOptions): Promise<Part> {
  const [ca, cert, key] = (['authority', 'server', 'serverKey'] as const).map((name) => readPki(options.pki, name));
  const server = createServer(
    { ca, cert, key, requestCert: true, rejectUnauthorized: true },
    (request, response) => void serve(options, request, response),
  );
  await register(options, await listen(server));
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { stop };
}
