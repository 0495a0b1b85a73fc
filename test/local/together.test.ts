/** The parts of the stand-in at work together: API server, controllers, node, eventing, functions. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubeObject } from '../../lib/api/meta.ts';
import { makeClient } from '../../lib/kube/client.ts';
import type { ResourceType } from '../../lib/kube/types.ts';
import { startClaims } from '../../local/controllers/claim.ts';
import { startDeployments } from '../../local/controllers/deployment.ts';
import { DEPLOYMENTS, type Deployment } from '../../local/controllers/deployment-pods.ts';
import type { Part } from '../../local/controllers/loop.ts';
import { startRootCa } from '../../local/controllers/root-ca.ts';
import { startEventing } from '../../local/eventing/eventing.ts';
import { API_SERVER_SOURCES, BROKERS, TRIGGERS } from '../../local/eventing/kinds.ts';
import { type Functions, startFunctions } from '../../local/functions/runner.ts';
import { SERVICES, type Service } from '../../local/functions/service.ts';
import { startNode } from '../../local/node/node.ts';
import { PODS } from '../../local/node/pod.ts';
import { FOREVER, object, script, until } from './support/objects.ts';
import { type StandIn, startStandIn } from './support/stand-in.ts';

let standIn: StandIn;
let functions: Functions;
const parts: Part[] = [];

const FUNCTION = `
const { appendFileSync, readFileSync } = require('node:fs');
require('node:http').createServer(async (req, res) => {
  const body = Buffer.concat(await req.toArray()).toString();
  const token = readFileSync(process.env.TINY_CREDENTIALS + '/token', 'utf8');
  appendFileSync(process.env.SEEN, JSON.stringify({ body, token }) + '\\n');
  res.writeHead(202).end();
}).listen(process.env.PORT, '127.0.0.1');`;

beforeAll(async () => {
  standIn = await startStandIn();
  const functionsFolder = join(standIn.folder, 'functions');
  mkdirSync(functionsFolder);
  writeFileSync(join(functionsFolder, 'session.cjs'), FUNCTION);
  functions = await startFunctions({ ...standIn.node, functionsFolder, scaleToZeroMs: 200 });
  const eventing = { ...standIn.world, apiServer: standIn.url, address: functions.address };
  parts.push(startDeployments(standIn.world), startClaims(standIn.world), startRootCa(standIn.world, standIn.caPem));
  for (const file of readdirSync('crds')) await apply(readFileSync(join('crds', file), 'utf8'));
  parts.push(startNode(standIn.node), await startEventing(eventing), functions);
});
afterAll(async () => {
  await Promise.all(parts.map((part) => part.stop()));
  await standIn.close();
});

const apply = async (yaml: string) => {
  const { parse } = await import('yaml');
  const crd = parse(yaml);
  await standIn.client.create(clusterScoped('apiextensions.k8s.io', 'CustomResourceDefinition'), crd);
};
const clusterScoped = (group: string, kind: string): ResourceType => ({
  group,
  version: 'v1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  namespaced: false,
});
const make = (type: ResourceType, name: string, rest: object) =>
  standIn.client.create(
    type,
    object(`${type.group}/${type.version}/${type.kind}`, { name, namespace: 'tiny-system' }, rest),
  );
const isReady = (type: ResourceType, name: string) =>
  until(`${type.kind} ${name}`, async () => {
    const found = await standIn.client.get(type as ResourceType<KubeObject & Pick<Service, 'status'>>, {
      namespace: 'tiny-system',
      name,
    });
    return found?.status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True');
  });
const SERVICE_ACCOUNTS: ResourceType = { ...PODS, kind: 'ServiceAccount', plural: 'serviceaccounts' } as ResourceType;
const account = (namespace: string, name: string) =>
  standIn.client.create(SERVICE_ACCOUNTS, object('v1/ServiceAccount', { namespace, name }));
const credentials = {
  name: 'credentials',
  projected: {
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: 600 } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    ],
  },
};
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

test('a Deployment of two containers comes up, is killed, comes up again, and goes to zero', async () => {
  await account('team-a', 'tiny-agent');
  const mounts = { volumeMounts: [{ name: 'credentials', mountPath: '/var/run/secrets/tiny' }] };
  const side = script(
    'tools',
    `console.log(require('node:fs').readFileSync(process.env.C + '/token', 'utf8')); process.on('SIGTERM', () => process.exit(0)); ${FOREVER}`,
    {
      ...mounts,
      restartPolicy: 'Always',
      env: [{ name: 'C', value: '/var/run/secrets/tiny' }],
    },
  );
  const deployment = object(
    'apps/v1/Deployment',
    { name: 'work', namespace: 'team-a' },
    {
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: { app: 'work' } },
        template: {
          metadata: { labels: { app: 'work' } },
          spec: {
            serviceAccountName: 'tiny-agent',
            terminationGracePeriodSeconds: 2,
            volumes: [credentials],
            initContainers: [side],
            containers: [script('agent', FOREVER)],
          },
        },
      },
    },
  ) as unknown as Deployment;
  await standIn.client.create(DEPLOYMENTS, deployment);
  const isAvailable = async () =>
    (await standIn.client.get(DEPLOYMENTS, deployment.metadata))?.status?.availableReplicas === 1;
  await until('available', isAvailable);
  const pods = async () => (await standIn.client.list(PODS, { namespace: 'team-a' })).items;
  const [pod] = await pods();
  const agent = async () => (await pods())[0]?.status?.containerStatuses?.[0];
  const pid = Number((await agent())?.containerID?.slice('process://'.length));
  const log = join(standIn.node.dataFolder, 'pods', pod?.metadata.uid ?? '', 'logs', 'tools', '0.log');
  const token = await until('the token', () => readFileSync(log, 'utf8').trim());
  expect(claimsOf(token)['kubernetes.io'].pod).toMatchObject({ name: pod?.metadata.name, uid: pod?.metadata.uid });

  process.kill(pid, 'SIGKILL');
  const again = await until('the restart', async () => {
    const status = await agent();
    return status?.restartCount === 1 && status.state.running ? status : undefined;
  });
  expect(again.lastState.terminated).toMatchObject({ exitCode: 137, signal: 9 });
  await until('available again', isAvailable);

  await standIn.client.patch(DEPLOYMENTS, deployment.metadata, { type: 'merge', body: { spec: { replicas: 0 } } });
  await until('no pod', async () => (await pods()).length === 0);
});

test('an object of a custom resource wakes a function from zero, which answers 202 and goes away', async () => {
  const seen = join(standIn.folder, 'seen');
  await account('tiny-system', 'session');
  await account('tiny-system', 'source');
  const rules = [{ apiGroups: ['tiny.dev'], resources: ['sessions'], verbs: ['get', 'list', 'watch'] }];
  const subjects = [{ kind: 'ServiceAccount', name: 'source', namespace: 'tiny-system' }];
  const rbac = 'rbac.authorization.k8s.io';
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'source' };
  await standIn.client.create(
    clusterScoped(rbac, 'ClusterRole'),
    object(`${rbac}/v1/ClusterRole`, { name: 'source' }, { rules }),
  );
  await standIn.client.create(
    clusterScoped(rbac, 'ClusterRoleBinding'),
    object(`${rbac}/v1/ClusterRoleBinding`, { name: 'source' }, { roleRef, subjects }),
  );
  const container = {
    image: 'tiny.dev/function-session:0.1.0',
    env: [
      { name: 'SEEN', value: seen },
      { name: 'TINY_CREDENTIALS', value: '/var/run/secrets/tiny' },
    ],
    volumeMounts: [{ name: 'credentials', mountPath: '/var/run/secrets/tiny' }],
  };
  const spec = { serviceAccountName: 'session', volumes: [credentials], containers: [container] };
  await make(SERVICES, 'session', { spec: { template: { spec } } });
  await make(BROKERS, 'default', { spec: {} });
  const ref = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: 'session' };
  await make(TRIGGERS, 'session', {
    spec: { broker: 'default', filters: [{ exact: { kind: 'Session' } }], subscriber: { ref } },
  });
  const sink = { ref: { apiVersion: 'eventing.knative.dev/v1', kind: 'Broker', name: 'default' } };
  const resources = [{ apiVersion: 'tiny.dev/v1alpha1', kind: 'Session' }];
  await make(API_SERVER_SOURCES, 'source', {
    spec: { serviceAccountName: 'source', namespaceSelector: {}, resources, sink },
  });
  for (const [type, name] of [
    [SERVICES, 'session'],
    [BROKERS, 'default'],
    [TRIGGERS, 'session'],
    [API_SERVER_SOURCES, 'source'],
  ] as const)
    await isReady(type as ResourceType, name);
  expect(functions.running()).toEqual([]);

  const sessions: ResourceType = {
    group: 'tiny.dev',
    version: 'v1alpha1',
    kind: 'Session',
    plural: 'sessions',
    namespaced: true,
  };
  await standIn.client.create(
    sessions,
    object('tiny.dev/v1alpha1/Session', { name: 's1', namespace: 'team-a' }, { spec: { prompt: 'do it' } }),
  );
  const [line = ''] = await until('the event', () => {
    const text = existsSync(seen) ? readFileSync(seen, 'utf8') : '';
    // A line that is still being written is none yet.
    return text.includes('\n') ? text.split('\n') : undefined;
  });
  const { body, token } = JSON.parse(line);
  expect(JSON.parse(body)).toEqual({
    kind: 'Session',
    namespace: 'team-a',
    name: 's1',
    apiVersion: 'tiny.dev/v1alpha1',
  });
  expect(claimsOf(token).sub).toBe('system:serviceaccount:tiny-system:session');
  const asFunction = makeClient({
    server: standIn.url,
    ca: standIn.caPem,
    auth: { token },
    fieldManager: 'tiny-session',
  });
  await expect(asFunction.get(sessions, { namespace: 'team-a', name: 's1' })).rejects.toMatchObject({ code: 403 });
  expect(functions.coldStarts()['session']).toHaveLength(1);
  await until('zero', () => functions.running().length === 0);
  const temporary = readdirSync(standIn.folder).filter((name) => existsSync(join(standIn.folder, name, 'credentials')));
  expect(temporary).toEqual([]);
});
