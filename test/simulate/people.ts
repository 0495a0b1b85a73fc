/** What people and agents do in a history. What the API server refuses them is no fault: they may not, or too late. */

import { toTimestamp } from '../../lib/api/conditions.ts';
import type { Condition, KubeObject } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { CLAIMS, type Client, DEPLOYMENTS, NETWORK_POLICIES, QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { askerOf } from '../contract/asker.ts';
import { kind, question, session } from '../contract/objects.ts';
import type { World } from '../contract/world.ts';
import type { Queue } from './functions.ts';
import { type Person, randomOf, type Step, type Word } from './history.ts';

const CHILDREN = { PersistentVolumeClaim: CLAIMS, NetworkPolicy: NETWORK_POLICIES, Deployment: DEPLOYMENTS };
const BINDINGS = {
  ...kind('rbac.authorization.k8s.io', 'ClusterRoleBinding', 'clusterrolebindings'),
  namespaced: false,
};
/** Gives alice and bob what they may. */
const TEAM = 'test-tiny-user-team';

export interface Stage {
  world: World;
  namespace: string;
  queue: Queue;
  now: () => Date;
  /** By the Session's uid. */
  agents: Map<string, Client>;
}

type Of<D extends Step['do']> = Step & { do: D };

/** An answer that says no is part of life; anything else is a fault. */
async function perhaps(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code >= 500) throw error;
  }
}

const read = ({ world: { admin }, namespace }: Stage, name: string) => admin.get(SESSIONS, { namespace, name });

const SAID: Record<Word, [finished: 'True' | 'False', waiting: 'True' | 'False', ready: 'True' | 'False']> = {
  working: ['False', 'False', 'True'],
  waiting: ['False', 'True', 'True'],
  finished: ['True', 'False', 'False'],
  'goes on': ['False', 'False', 'True'],
};

/** Its agent reports, if there is one: at most the Session that is there. */
async function report(stage: Stage, { session: name, says }: Of<'agent'>): Promise<KubeObject | undefined> {
  const { world, namespace, agents, now } = stage;
  const live = await read(stage, name);
  if (!live) return undefined;
  const agent = agents.get(live.metadata.uid) ?? (await askerOf(world.engine, namespace, name));
  agents.set(live.metadata.uid, agent);
  const [finished, waiting, ready] = SAID[says];
  const told = (type: string, status: 'True' | 'False'): Condition => {
    const before = live.status?.conditions?.find((condition) => condition.type === type);
    const lastTransitionTime = before?.status === status ? before.lastTransitionTime : toTimestamp(now());
    return { type, status, reason: 'Said', message: says, lastTransitionTime };
  };
  const conditions = [told('Ready', ready), told('Waiting', waiting), told('Finished', finished)];
  const status = { conditions, messagesRead: live.spec.messages?.length ?? 0 };
  const metadata = { namespace, name, uid: live.metadata.uid, resourceVersion: live.metadata.resourceVersion };
  return await agent.applyStatus(SESSIONS, { apiVersion: live.apiVersion, kind: live.kind, metadata, status });
}

/** The share of changes that touch, too. */
const BY_TINY = 0.7;

function spec(step: Of<'suspend' | 'resume' | 'message' | 'touch'>, live: Session): object {
  if (step.do === 'message') {
    const messages = live.spec.messages ?? [];
    return { messages: [...messages, { id: `m${messages.length}`, text: 'more' }] };
  }
  return step.do === 'touch' ? {} : { suspend: step.do === 'suspend' };
}

async function edit(
  stage: Stage,
  step: Of<'suspend' | 'resume' | 'message' | 'touch'>,
): Promise<KubeObject | undefined> {
  const { world, namespace, now } = stage;
  const live = await read(stage, step.session);
  if (!live) return undefined;
  const { resourceVersion } = live.metadata;
  // As `tiny` does, or as somebody does by hand.
  const touched = step.do === 'touch' || step.luck < BY_TINY ? { touched: toTimestamp(now()) } : {};
  const body = { metadata: { resourceVersion }, spec: { ...spec(step, live as Session), ...touched } };
  return await world.as(step.who).patch(SESSIONS, { namespace, name: step.session }, { type: 'merge', body });
}

async function ask(stage: Stage, { session: name, question: id }: Of<'ask'>): Promise<KubeObject | undefined> {
  const { world, namespace, agents } = stage;
  const live = await read(stage, name);
  if (!live) return undefined;
  const agent = agents.get(live.metadata.uid) ?? (await askerOf(world.engine, namespace, name));
  agents.set(live.metadata.uid, agent);
  const asked = question(namespace, name, {});
  const { uid } = live.metadata;
  const owner = { apiVersion: live.apiVersion, kind: live.kind, name, uid };
  const metadata = { ...asked.metadata, name: id, namespace, ownerReferences: [owner] };
  const options = [
    { id: 'allow', text: 'Yes', effect: 'Allow' },
    { id: 'deny', text: 'No', effect: 'Deny' },
  ];
  const child = { name: `${id}-child`, spec: session(namespace, id).spec };
  const wanted = { session: name, kind: 'Spawn', text: 'May I?', options, spawn: child };
  return await agent.create(QUESTIONS, { ...asked, metadata, spec: wanted } as never);
}

/** Of a claim's spec nothing can be edited. */
const EDIT = {
  Deployment: { spec: { replicas: 3 } },
  NetworkPolicy: { spec: { policyTypes: ['Ingress'] } },
  PersistentVolumeClaim: { metadata: { labels: { 'tiny.dev/session': 'another' } } },
};

async function editChild({ world: { admin }, namespace }: Stage, { session: name, kind: of }: Of<'edit child'>) {
  await admin.patch(CHILDREN[of], { namespace, name }, { type: 'merge', body: EDIT[of] });
  return undefined;
}

async function rights({ world: { admin } }: Stage, give: boolean) {
  if (!give) return void (await admin.delete(BINDINGS, { name: TEAM }));
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'team' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'tiny-user' };
  const binding = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: TEAM } };
  await admin.apply(BINDINGS, { ...binding, roleRef, subjects } as KubeObject);
}

/** Gives the team back what it may. */
export const giveRights = (stage: Stage): Promise<void> => perhaps(rights(stage, true));

/** The clock of functions is ahead of the API server's: what is made now is told to be of now. */
function create(
  { world, namespace, now }: Stage,
  { who, session: name }: { who: Person; session: string },
): Promise<KubeObject> {
  const more = { idle: { suspendAfter: '10m' }, touched: toTimestamp(now()) };
  return world.as(who).create(SESSIONS, session(namespace, name, more));
}

/** What a step does to the cluster; the object of a Session or Question that it changed comes back. */
function doing(stage: Stage, step: Step): Promise<unknown> | undefined {
  const { world, namespace } = stage;
  switch (step.do) {
    case 'create':
      return create(stage, step);
    case 'delete':
      return world.as(step.who).delete(SESSIONS, { namespace, name: step.session });
    case 'answer': {
      const ref = { namespace, name: step.question };
      const body = { spec: { answer: { option: step.option } } };
      return world.as(step.who).patch(QUESTIONS, ref, { type: 'merge', body });
    }
    case 'agent':
      return report(stage, step);
    case 'ask':
      return ask(stage, step);
    case 'drop child':
      return world.admin.delete(CHILDREN[step.kind], { namespace, name: step.session });
    case 'edit child':
      return editChild(stage, step);
    case 'take rights':
    case 'give rights':
      return rights(stage, step.do === 'give rights');
    case 'suspend':
    case 'resume':
    case 'message':
    case 'touch':
      return edit(stage, step);
  }
}

/** Does what a person, an agent or an administrator does in this step. */
export async function act(stage: Stage, step: Step): Promise<void> {
  const random = randomOf(Math.floor(step.luck * 2 ** 32));
  const work = doing(stage, step);
  if (!work) return;
  await perhaps(
    work.then((changed) => {
      const object = changed as KubeObject | undefined;
      if (object) stage.queue.send(object, random);
    }),
  );
}
