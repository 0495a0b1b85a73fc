/** The story that the demo plays, step by step. Each step checks what it tells; one that fails ends the story. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCondition } from '../../lib/api/conditions.ts';
import type { Question } from '../../lib/api/question.ts';
import type { Session } from '../../lib/api/session.ts';
import { CLAIMS, DEPLOYMENTS, NETWORK_POLICIES, PODS, QUESTIONS, SECRETS, SESSIONS } from '../../lib/kube/types.ts';
import { askControl } from '../../local/control.ts';
import { nodeFolder } from '../../local/folders.ts';
import { isDeed, isMachinery } from '../audit/row.ts';
import { Failure } from '../failure.ts';
import { GREETING, SURVIVOR } from './scripts.ts';
import { PROJECT, type Stage } from './stage.ts';

export interface Step {
  name: string;
  /** What it says when it went well. */
  play(stage: Stage): Promise<string>;
}

const ref = (name: string) => ({ namespace: PROJECT, name });

const session = (stage: Stage, name: string, wanted: (session: Session) => boolean) =>
  stage.until(`Session ${name}`, async () => {
    const found = await stage.client.get(SESSIONS, ref(name));
    return found && wanted(found) && found;
  });

const isFinished = (one: Session) => findCondition(one, 'Finished')?.status === 'True';

const openQuestion = (stage: Stage, of: string) =>
  stage.until(`a Question of ${of}`, async () => {
    const { items } = await stage.client.list(QUESTIONS, { namespace: PROJECT, fieldSelector: `spec.session=${of}` });
    return items.find(({ spec }) => !spec.answer);
  });

const acted = (stage: Stage, { metadata: { name } }: Question) =>
  stage.until(`Question ${name} to be acted on`, async () => {
    const found = await stage.client.get(QUESTIONS, ref(name));
    const condition = found && findCondition(found, 'Acted');
    return condition && { found, condition };
  });

function check(holds: unknown, otherwise: string): asserts holds {
  if (!holds) throw new Failure(otherwise);
}

const start = (stage: Stage, name: string, prompt: string) =>
  stage.tiny('alice', 'new', '--agent', 'rehearsal', '--name', name, '--repo', stage.repository, '--', prompt);

const create: Step = {
  name: 'alice starts a Session on a real repository',
  async play(stage) {
    check((await askControl(stage.folder)).functions.length === 0, 'a function runs although nothing has happened');
    await start(stage, 'greeting', GREETING);
    const { spec } = await session(stage, 'greeting', () => true);
    check(spec.requester?.username === 'alice', `stamped as ${spec.requester?.username}, not as alice`);
    return `Session greeting, stamped as alice, on ${stage.repository}`;
  },
};

const wake: Step = {
  name: 'a function wakes from zero',
  async play(stage) {
    const ms = await stage.until(
      'function session',
      async () => (await askControl(stage.folder)).coldStarts.session?.[0],
    );
    await session(stage, 'greeting', (one) => findCondition(one, 'Materialised')?.status === 'True');
    return `function session was cold and up after ${Math.round(ms)} ms`;
  },
};

const objects: Step = {
  name: 'the objects are made as alice',
  async play(stage) {
    const kinds = ['persistentvolumeclaims', 'secrets', 'networkpolicies.networking.k8s.io', 'deployments.apps'];
    const rows = stage
      .audit()
      .filter((row) => row.verb === 'create' && kinds.includes(row.resource) && row.namespace === PROJECT);
    for (const kind of kinds) {
      const [row] = rows.filter(({ resource }) => resource === kind);
      check(
        row?.impersonatedUser === 'alice',
        `${kind} was made for ${row?.impersonatedUser ?? 'nobody'}, not for alice`,
      );
    }
    return `claim, Secret, NetworkPolicy and Deployment, each by ${rows[0]?.user} for alice`;
  },
};

const spawn: Step = {
  name: 'the agent asks, bob answers, and the child is made as bob',
  async play(stage) {
    const question = await openQuestion(stage, 'greeting');
    await stage.tiny('bob', 'y', question.metadata.name);
    const { condition } = await acted(stage, question);
    check(condition.status === 'True', condition.message);
    const child = await session(stage, 'farewell', () => true);
    check(
      child.spec.requester?.username === 'bob',
      `the child is stamped as ${child.spec.requester?.username}, not as bob`,
    );
    return condition.message;
  },
};

const commits: Step = {
  name: 'the agents work and commit',
  async play(stage) {
    const [parent, child] = [
      await session(stage, 'greeting', isFinished),
      await session(stage, 'farewell', isFinished),
    ];
    check(parent.status?.result?.commits === 1 && child.status?.result?.commits === 1, 'not exactly one commit each');
    return `commit ${parent.status.result.commit?.slice(0, 7)} on ${parent.status.result.branch}, ${child.status.result.commit?.slice(0, 7)} on ${child.status.result.branch}`;
  },
};

const kill: Step = {
  name: 'an agent is killed with SIGKILL and goes on',
  async play(stage) {
    await start(stage, 'survivor', SURVIVOR);
    await session(stage, 'survivor', ({ status }) => status?.message === 'half-way');
    const { items } = await stage.client.list(PODS, { namespace: PROJECT, labelSelector: 'tiny.dev/session=survivor' });
    const pid = pidOf(stage, items[0]?.metadata.uid ?? '');
    process.kill(-pid, 'SIGKILL');
    await openQuestion(stage, 'survivor');
    return `process group ${pid} was killed; the conversation went on without a second prompt`;
  },
};

/** The process of a pod's agent, as the node of the stand-in noted it. */
function pidOf({ folder, kubernetes }: Stage, uid: string): number {
  const pids = join(nodeFolder(folder, kubernetes !== undefined), 'pods', uid, 'pids');
  check(readdirSync(pids).includes('agent'), `no process of pod ${uid}`);
  return Number.parseInt(readFileSync(join(pids, 'agent'), 'utf8'), 10);
}

const refuse: Step = {
  name: 'carol, who may start nothing, says yes and is refused',
  async play(stage) {
    const question = await openQuestion(stage, 'survivor');
    await stage.tiny('carol', 'y', question.metadata.name);
    const { condition } = await acted(stage, question);
    check(condition.status === 'False' && condition.reason === 'Forbidden', `not refused but ${condition.reason}`);
    check(!(await stage.client.get(SESSIONS, ref('not-carols'))), 'the Session was made all the same');
    const { status } = await session(stage, 'survivor', isFinished);
    check(status?.result?.commits === 2, `the killed agent made ${status?.result?.commits} commits, not 2`);
    return condition.message;
  },
};

const remove: Step = {
  name: 'the Sessions are deleted, and what belongs to them goes',
  async play(stage) {
    await stage.tiny('alice', 'rm', '--all', '--wait');
    for (const type of [DEPLOYMENTS, PODS, CLAIMS, SECRETS, NETWORK_POLICIES, QUESTIONS]) {
      await stage.until(
        `no ${type.plural}`,
        async () => (await stage.client.list(type, { namespace: PROJECT })).items.length === 0,
      );
    }
    return 'no Deployment, pod, claim, Secret, NetworkPolicy or Question is left';
  },
};

const idle: Step = {
  name: 'the functions go back to zero',
  async play(stage) {
    await stage.until('no function', async () => (await askControl(stage.folder)).functions.length === 0);
    return 'no function runs';
  },
};

export const STORY: readonly Step[] = [create, wake, objects, spawn, commits, kill, refuse, remove, idle];

/** The deeds that people did in the project, by themselves or through functions: what the audit table shows. */
export const deeds = (stage: Stage) =>
  stage
    .audit()
    .filter(
      (row) => isDeed(row) && row.namespace === PROJECT && !isMachinery(row) && !row.resource.endsWith('/status'),
    );
