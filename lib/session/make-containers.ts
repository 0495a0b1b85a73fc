/** The two containers of a Session's pod: the tools, which hold the token, and the agent with its harness, which does not. */
import type { V1Container, V1EnvVar } from '@kubernetes/client-node';
import type { Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { deadlineAt } from './lifetime.ts';
import { promptDigest } from './names.ts';

/** The version of the images that this library was made with. */
export const IMAGE_VERSION = '0.1.0';
const TOOLS_IMAGE = `tiny.dev/agent-tools:${IMAGE_VERSION}`;

/** A variable with exactly `value`: the kubelet fills in `$(NAME)` and makes one dollar of two. */
const literal = (name: string, value: string): V1EnvVar => ({ name, value: value.replaceAll('$', () => '$$') });

const variables = (values: Record<string, string>): V1EnvVar[] =>
  Object.entries(values).map(([name, value]) => literal(name, value));

const whoseItIs = ({ metadata }: Stored<Session>) => ({
  TINY_NAMESPACE: metadata.namespace ?? '',
  TINY_SESSION: metadata.name,
  TINY_SESSION_UID: metadata.uid,
  TINY_RUN: '/run/tiny',
  TINY_STATE: '/state',
});

/** A native sidecar: up before the agent starts, and ended after it. */
export const toolsContainer = (session: Stored<Session>): V1Container => ({
  name: 'tools',
  image: TOOLS_IMAGE,
  restartPolicy: 'Always',
  command: ['node', '/opt/tiny/tools.cjs'],
  env: variables({ ...whoseItIs(session), TINY_CREDENTIALS: '/var/run/secrets/tiny' }),
  resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
  volumeMounts: [
    { name: 'run', mountPath: '/run/tiny' },
    { name: 'credentials', mountPath: '/var/run/secrets/tiny', readOnly: true },
    { name: 'work', mountPath: '/state', subPath: 'tools' },
    { name: 'tmp', mountPath: '/tmp', subPath: 'tools' },
  ],
});

/** What the harness is told of the spec. It comes with the workload, which a person's rights made, not from the live Session. */
export function harnessConfig(session: Stored<Session>): string {
  const { agent, repository, approvals, idle } = session.spec;
  const { image: _image, env: _env, ...started } = agent;
  const { credentialsSecret: _secret, ...cloned } = repository ?? {};
  const deadline = deadlineAt(session)?.toISOString();
  return JSON.stringify({
    agent: started,
    ...(repository && { repository: cloned }),
    approvals,
    idle,
    ...(deadline && { deadlineAt: deadline }),
  });
}

function agentEnvironment(session: Stored<Session>): V1EnvVar[] {
  const { agent, repository } = session.spec;
  const own = {
    ...whoseItIs(session),
    TINY_WORKSPACE: '/workspace',
    TINY_HOME: '/opt/tiny',
    TINY_PROMPT: '/etc/tiny/prompt/prompt',
    TINY_PROMPT_SHA256: promptDigest(session),
    TINY_CONFIG: harnessConfig(session),
    ...(repository?.credentialsSecret && { TINY_GIT_CREDENTIALS: '/etc/tiny/git' }),
    HOME: '/home/agent',
  };
  const asked = (agent.env ?? []).filter(({ name }) => !Object.hasOwn(own, name));
  return [...asked.map(({ name, value }) => literal(name, value)), ...variables(own)];
}

export function agentContainer(session: Stored<Session>): V1Container {
  const { agent, credentials, repository, resources } = session.spec;
  return {
    name: 'agent',
    image: agent.image ?? `tiny.dev/agent-${agent.name}:${IMAGE_VERSION}`,
    command: ['node', '/opt/tiny/harness.cjs'],
    env: agentEnvironment(session),
    envFrom: credentials?.map(({ secret }) => ({ secretRef: { name: secret } })),
    resources,
    volumeMounts: [
      { name: 'run', mountPath: '/run/tiny' },
      { name: 'prompt', mountPath: '/etc/tiny/prompt', readOnly: true },
      ...(repository?.credentialsSecret ? [{ name: 'git', mountPath: '/etc/tiny/git', readOnly: true }] : []),
      { name: 'work', mountPath: '/workspace', subPath: 'repo' },
      { name: 'work', mountPath: '/home/agent', subPath: 'home' },
      { name: 'work', mountPath: '/state', subPath: 'state' },
      { name: 'tmp', mountPath: '/tmp', subPath: 'agent' },
    ],
  };
}
