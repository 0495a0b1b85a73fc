/**
 * What is not as it should be in the end. It asks the builders and the lifetime what ought to be there, and neither the
 * plans nor the sweep, which are what is tried.
 */
import { findCondition } from '../../lib/api/conditions.ts';
import { ANNOTATION, type KubeObject, type Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import type { Session } from '../../lib/api/session.ts';
import { decide } from '../../lib/question/decision.ts';
import { atZero } from '../../lib/session/lifetime.ts';
import { makeClaim } from '../../lib/session/make-claim.ts';
import { makeDeployment } from '../../lib/session/make-deployment.ts';
import { makeNetworkPolicy } from '../../lib/session/make-network-policy.ts';
import { covers } from '../../lib/sweep/covers.ts';
import { isOld } from './functions.ts';

export interface Listed {
  sessions: Stored<Session>[];
  questions: Stored<Question>[];
  /** Claims, network policies and Deployments. */
  children: Stored<KubeObject>[];
}

/** What belongs to a Session that is gone: garbage collection has its own pace. */
export function orphans({ sessions, children }: Listed): string[] {
  const uids = new Set(sessions.map(({ metadata }) => metadata.uid));
  const left = children.filter(({ metadata }) => metadata.ownerReferences?.every(({ uid }) => !uids.has(uid)));
  return left.map(({ kind, metadata }) => `${kind} ${metadata.name} outlived its Session`);
}

/** An old stamp keeps a Session as it was; whoever looks is told. */
const saysSo = ({ status }: Session): boolean =>
  status?.conditions?.some(({ type, status: is, reason }) =>
    type === 'Materialised' || type === 'Stuck'
      ? reason === 'RequesterExpired' && is === (type === 'Stuck' ? 'True' : 'False')
      : false,
  ) ?? false;

function faultsOfSession(session: Stored<Session>, children: Stored<KubeObject>[], now: Date): string[] {
  const { name, uid, generation } = session.metadata;
  const zero = atZero(session, now);
  const wanted = [makeClaim(session), makeNetworkPolicy(session), makeDeployment(session, zero ? 0 : 1)];
  const wrong = wanted.flatMap((object) => {
    const live = children.find(({ kind, metadata }) => kind === object.kind && metadata.name === name);
    if (!live?.metadata.ownerReferences?.some((owner) => owner.uid === uid)) return [`has no ${object.kind}`];
    return covers(object, live) ? [] : [`its ${object.kind} is not as it was made`];
  });
  const materialised = findCondition(session, 'Materialised');
  if (materialised?.status !== 'True' || materialised.observedGeneration !== generation)
    wrong.push('is not Materialised');
  if ((findCondition(session, 'Suspended')?.status === 'True') !== (zero !== undefined)) {
    wrong.push(`does not say truly whether it is at zero (${zero})`);
  }
  if (isOld(session, now) && saysSo(session)) return [];
  return wrong.map((what) => `Session ${name} ${what}: ${JSON.stringify(session.status?.conditions)}`);
}

function faultsOfQuestion(question: Stored<Question>, { sessions }: Listed, now: Date): string[] {
  const { name, uid } = question.metadata;
  const decision = decide(question, now);
  if (decision.state === 'open') return [];
  const acted = findCondition(question, 'Acted');
  if (!acted) return [`Question ${name} was answered and not acted on`];
  const made = sessions.some(({ metadata }) => metadata.annotations?.[ANNOTATION.question] === uid);
  return made && acted.status !== 'True' ? [`Question ${name} made a Session and says ${acted.reason}`] : [];
}

/** In words; nothing where all is as it should be. */
export function faultsOf(all: Listed, now: Date): string[] {
  const asked = all.sessions.flatMap(({ metadata }) => metadata.annotations?.[ANNOTATION.question] ?? []);
  const twice = asked.filter((uid, at) => asked.indexOf(uid) !== at);
  return [
    ...all.sessions.flatMap((session) => faultsOfSession(session, all.children, now)),
    ...all.questions.flatMap((question) => faultsOfQuestion(question, all, now)),
    ...orphans(all),
    ...twice.map((uid) => `two children of Question ${uid}`),
  ];
}
