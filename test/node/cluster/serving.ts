/**
 * A stand-in for Knative Serving: each Service of Knative becomes a Deployment with its very pod template, without a
 * replica until a request comes, and again when none has come for a while. Revisions, concurrency and traffic are not
 * there.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { V1PodSpec } from '@kubernetes/client-node';
import type { KubeObject, Stored } from '../../../lib/api/meta.ts';
import { DEPLOYMENTS, PODS, type Ref } from '../../../lib/kube/types.ts';
import { keyOf, type Part, runEach, type World } from '../../../local/controllers/loop.ts';
import { listen } from '../../../local/functions/port.ts';
import { SERVICES, type Service } from '../../../local/functions/service.ts';
import { until } from './until.ts';

const PORT = 8080;
type Pod = Stored<KubeObject & { status?: { podIP?: string; conditions?: { type: string; status: string }[] } }>;

export interface Serving extends Part {
  address(ref: Ref): string | undefined;
  /** Milliseconds from a request at zero to a pod that is Ready, one a start. */
  coldStarts: number[];
}

/** What Knative makes of a Service's template: the port's variable, its name, and a probe of the port. */
function deploymentOf({ metadata, spec }: Stored<Service>): KubeObject {
  const {
    timeoutSeconds: _seconds,
    containerConcurrency: _many,
    ...pod
  } = spec.template.spec as V1PodSpec & {
    timeoutSeconds?: number;
    containerConcurrency?: number;
  };
  const { name, namespace } = metadata;
  const labels = { 'serving.knative.dev/service': name };
  const told = [
    { name: 'PORT', value: String(PORT) },
    { name: 'K_SERVICE', value: name },
  ];
  const containers = pod.containers.map((one) => ({
    ...one,
    name: 'user-container',
    env: [...(one.env ?? []), ...told],
    readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
  }));
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, annotations: { 'tiny.dev/stand-in': 'for Knative Serving' } },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...pod, containers } },
    },
  } as KubeObject;
}

const isReady = ({ metadata, status }: Pod): boolean =>
  !metadata.deletionTimestamp &&
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

class Activator {
  private readonly world: World;
  private readonly ref: Ref;
  private readonly idleMs: number;
  private readonly coldStarts: number[];
  private host: Promise<string> | undefined;
  private inFlight = 0;
  private idle: NodeJS.Timeout | undefined;

  constructor(world: World, ref: Ref, { idleMs, coldStarts }: { idleMs: number; coldStarts: number[] }) {
    this.world = world;
    this.ref = ref;
    this.idleMs = idleMs;
    this.coldStarts = coldStarts;
  }

  /** Passes one request on; 503 where no pod is had. */
  async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    clearTimeout(this.idle);
    this.inFlight++;
    try {
      const body = Buffer.concat(await incoming.toArray());
      this.host ??= this.wake();
      await pass(await this.host, { incoming, body, response });
    } catch (error) {
      this.host = undefined;
      response.writeHead(503).end(String(error));
    } finally {
      if (--this.inFlight === 0) this.idle = setTimeout(() => void this.sleep(), this.idleMs);
    }
  }

  private scale(replicas: number): Promise<unknown> {
    return this.world.client.patch(DEPLOYMENTS, this.ref, { type: 'merge', body: { spec: { replicas } } });
  }

  private async wake(): Promise<string> {
    const began = performance.now();
    await this.scale(1);
    const labelSelector = `serving.knative.dev/service=${this.ref.name}`;
    const pod = await until(`a pod of function ${this.ref.name}`, async () => {
      const { items } = await this.world.client.list(PODS, { namespace: this.ref.namespace ?? '', labelSelector });
      return (items as Pod[]).find(isReady);
    });
    this.coldStarts.push(performance.now() - began);
    return pod.status?.podIP ?? '';
  }

  private async sleep(): Promise<void> {
    this.host = undefined;
    await this.scale(0).catch((error) => this.world.log(`function ${this.ref.name} stays: ${error}`));
  }

  stop(): void {
    clearTimeout(this.idle);
  }
}

interface Passing {
  incoming: IncomingMessage;
  body: Buffer;
  response: ServerResponse;
}

const pass = (host: string, { incoming, body, response }: Passing): Promise<void> =>
  new Promise((resolve, reject) => {
    const { method, url: path, rawHeaders: headers } = incoming;
    const outgoing = request({ host, port: PORT, method, path, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.once('error', reject).once('end', resolve).pipe(response);
    });
    outgoing.once('error', reject).end(body);
  });

/** Runs until stopped. A function goes to zero `idleMs` after its last request. */
export async function startServing(world: World, idleMs: number): Promise<Serving> {
  const urls = new Map<string, string>();
  const coldStarts: number[] = [];
  const { stop } = await runEach(world, SERVICES, async (service) => {
    await world.client.apply(DEPLOYMENTS, deploymentOf(service));
    const { name, namespace = '' } = service.metadata;
    const activator = new Activator(world, { name, namespace }, { idleMs, coldStarts });
    const server = createServer((incoming, response) => void activator.serve(incoming, response));
    urls.set(keyOf(service.metadata), `http://127.0.0.1:${await listen(server)}`);
    return {
      stop: async () => {
        activator.stop();
        server.closeAllConnections();
        server.close();
      },
    };
  });
  return { stop, address: (ref) => urls.get(keyOf(ref)), coldStarts };
}
