/**
 * The containers of a Session's pod: the clone, which alone has the credentials to read the repository; the tools, which
 * hold the pod's token and the credentials to push; and the agent with its harness, which has none of these.
 */
import type { V1Container, V1EnvVar } from '@kubernetes/client-node';
import type { Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { deadlineAt } from './lifetime.ts';
import { secretMounts } from './make-volumes.ts';
import { promptDigest } from './names.ts';

/** The version of the images that this library was made with. */
export const IMAGE_VERSION = '0.1.0';
const TOOLS_IMAGE = `tiny.dev/agent-tools:${IMAGE_VERSION}`;
/** The tools and the clone, with git. Its layers are those of the agents' images, so that a node holds them once. */
const GIT_IMAGE = `tiny.dev/agent-git:${IMAGE_VERSION}`;

/** A variable with exactly `value`: the kubelet fills in `$(NAME)` and makes one dollar of two. */
const literal = (name: string, value: string): V1EnvVar => ({ name, value: value.replaceAll('$', () => '$$') });

/** Those of `values` that there are. */
const variables = (values: Record<string, string | undefined>): V1EnvVar[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [literal(name, value)]));

const whoseItIs = ({ metadata }: Stored<Session>) => ({
  TINY_NAMESPACE: metadata.namespace ?? '',
  TINY_SESSION: metadata.name,
  TINY_SESSION_UID: metadata.uid,
});

const shared = { TINY_RUN: '/run/tiny', TINY_STATE: '/state' };

/** The values that must not leave the pod, as files beside the agent's variables. */
const secretsOf = ({ spec }: Stored<Session>) =>
  spec.credentials?.length ? { TINY_SECRETS: '/etc/tiny/secrets' } : {};

/** What of the repository is for the push: where, from where, and how. */
function pushOf({ spec: { repository } }: Stored<Session>): Record<string, string> {
  if (!repository?.push) return {};
  const { url, ref, push } = repository;
  const { credentialsSecret: _secret, ...how } = push;
  return { TINY_REPOSITORY: JSON.stringify({ url, ref, push: how }), TINY_PUSH_CREDENTIALS: '/etc/tiny/push' };
}

/** A native sidecar: up before the agent starts, and ended after it. With something to push it has git. */
export function toolsContainer(session: Stored<Session>): V1Container {
  const pushes = session.spec.repository?.push !== undefined;
  return {
    name: 'tools',
    image: pushes ? GIT_IMAGE : TOOLS_IMAGE,
    restartPolicy: 'Always',
    command: ['node', '/opt/tiny/tools.cjs'],
    env: variables({
      ...whoseItIs(session),
      ...shared,
      TINY_CREDENTIALS: '/var/run/secrets/tiny',
      ...secretsOf(session),
      ...pushOf(session),
    }),
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: pushes ? '512Mi' : '256Mi' } },
    volumeMounts: [
      { name: 'run', mountPath: '/run/tiny' },
      { name: 'credentials', mountPath: '/var/run/secrets/tiny', readOnly: true },
      ...secretMounts(session),
      ...(pushes ? [{ name: 'push', mountPath: '/etc/tiny/push', readOnly: true }] : []),
      { name: 'work', mountPath: '/state', subPath: 'tools' },
      { name: 'tmp', mountPath: '/tmp', subPath: 'tools' },
    ],
  };
}

/** Clones before the agent starts, so that what it clones with is gone by then. It needs as much as the agent may take. */
export function cloneContainer(session: Stored<Session>): V1Container[] {
  const { repository, resources } = session.spec;
  if (!repository) return [];
  const { credentialsSecret: secret, push: _push, ...cloned } = repository;
  const own = {
    ...whoseItIs(session),
    TINY_WORKSPACE: '/workspace',
    TINY_REPOSITORY: JSON.stringify(cloned),
    TINY_GIT_CREDENTIALS: secret && '/etc/tiny/git',
    HOME: '/tmp',
  };
  return [
    {
      name: 'clone',
      image: GIT_IMAGE,
      command: ['node', '/opt/tiny/clone.cjs'],
      env: variables(own),
      resources,
      volumeMounts: [
        ...(secret ? [{ name: 'git', mountPath: '/etc/tiny/git', readOnly: true }] : []),
        { name: 'work', mountPath: '/workspace', subPath: 'repo' },
        { name: 'tmp', mountPath: '/tmp', subPath: 'clone' },
      ],
    },
  ];
}

/** What the harness is told of the spec. It comes with the workload, which a person's rights made, not from the live Session. */
export function harnessConfig(session: Stored<Session>): string {
  const { agent, repository, approvals, idle } = session.spec;
  const { image: _image, env: _env, ...started } = agent;
  const { credentialsSecret: _secret, push: _push, ...cloned } = repository ?? {};
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
  const { agent } = session.spec;
  const own = {
    ...whoseItIs(session),
    ...shared,
    TINY_WORKSPACE: '/workspace',
    TINY_HOME: '/opt/tiny',
    TINY_PROMPT: '/etc/tiny/prompt/prompt',
    TINY_PROMPT_SHA256: promptDigest(session),
    TINY_CONFIG: harnessConfig(session),
    ...secretsOf(session),
    HOME: '/home/agent',
  };
  const asked = (agent.env ?? []).filter(({ name }) => !Object.hasOwn(own, name));
  return [...asked.map(({ name, value }) => literal(name, value)), ...variables(own)];
}

export function agentContainer(session: Stored<Session>): V1Container {
  const { agent, credentials, resources } = session.spec;
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
      ...secretMounts(session),
      { name: 'work', mountPath: '/workspace', subPath: 'repo' },
      { name: 'work', mountPath: '/home/agent', subPath: 'home' },
      { name: 'work', mountPath: '/state', subPath: 'state' },
      { name: 'tmp', mountPath: '/tmp', subPath: 'agent' },
    ],
  };
}
