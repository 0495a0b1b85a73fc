/** Functions as Knative runs them: each event lost, doubled or late, and the process killed at any write. */
import type { KubeObject } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import type { Look } from '../../lib/event/receive.ts';
import type { Client, Ref } from '../../lib/kube/types.ts';
import { questionsWithin } from '../../lib/question/plan.ts';
import { reconcile } from '../../lib/reconcile.ts';
import { sessionsWithin } from '../../lib/session/plan.ts';
import { randomOf } from './history.ts';

/** How old a stamp may be in a history: of the ten hours that one takes, some get older. */
const MAX_AGE = '4h';
const MAX_AGE_MS = 4 * 3_600_000;
export const sessions = sessionsWithin(MAX_AGE);
export const questions = questionsWithin(MAX_AGE);

/** Whether functions may make nothing more for it; reckoned here once more, for what the plans say is what is tried. */
export function isOld({ metadata, spec }: Session, now: Date): boolean {
  const asked = [metadata.creationTimestamp, spec.touched].map((time) => (time ? Date.parse(time) : 0));
  return asked.every((time) => now.getTime() - time > MAX_AGE_MS);
}

/** What a killed process throws at its next request. */
class Killed extends Error {
  override name = 'Killed';
}

export interface Event extends Ref {
  kind: 'Session' | 'Question';
}

/** The share of events that are lost, and of those that come twice. */
const FAULTY = 0.3;

/** What is under way. An event that is neither lost nor delivered stays, and may come last. */
export class Queue {
  readonly waiting: Event[] = [];

  /** As the source sends a change of a Session or a Question. */
  send({ kind, metadata: { namespace, name } }: KubeObject, luck: () => number): void {
    if (kind !== 'Session' && kind !== 'Question') return;
    if (luck() < FAULTY) return;
    const event: Event = { kind, name, ...(namespace && { namespace }) };
    this.waiting.push(event);
    if (luck() < FAULTY) this.waiting.push(event);
  }

  /** Any of those that wait. */
  take(luck: number): Event | undefined {
    return this.waiting.splice(Math.floor(luck * this.waiting.length), 1)[0];
  }
}

interface Death {
  at: number;
  after: boolean;
}

type Write = (work: () => Promise<KubeObject | undefined>) => Promise<KubeObject | undefined>;

/** `client`, whose writes of Sessions and Questions become events, and which dies as `death` says. */
function mortal(client: Client, tell: (object: KubeObject) => void, death?: Death): Client {
  let writes = 0;
  let dead = false;
  const write: Write = async (work) => {
    writes += 1;
    if (dead || (death && !death.after && writes === death.at)) {
      dead = true;
      throw new Killed();
    }
    const object = await work();
    if (object) tell(object);
    if (death?.after && writes === death.at) {
      dead = true;
      throw new Killed();
    }
    return object;
  };
  const wrap = (inner: Client): Client => ({
    ...inner,
    create: ((type, object) => write(() => inner.create(type, object))) as Client['create'],
    apply: ((type, object, options) => write(() => inner.apply(type, object, options))) as Client['apply'],
    applyStatus: ((type, object) => write(() => inner.applyStatus(type, object))) as Client['applyStatus'],
    patch: ((type, ref, patch) => write(() => inner.patch(type, ref, patch))) as Client['patch'],
    delete: (type, ref, precondition) =>
      write(async () => void (await inner.delete(type, ref, precondition))).then(() => undefined),
    as: (person) => wrap(inner.as(person)),
  });
  return wrap(client);
}

/** `client`, which fails where it makes or widens anything for a Session whose stamp it has seen to be old. */
function dutiful(client: Client, now: () => Date): Client {
  let seen: Session | undefined;
  const checked = <T extends KubeObject>(object: T): T => {
    const { replicas } = (object as { spec?: { replicas?: number } }).spec ?? {};
    if (object.kind === 'Session' || replicas === 0 || !seen || !isOld(seen, now())) return object;
    throw new Error(`${object.kind} ${object.metadata.name} is made with an old stamp`);
  };
  const acting = (inner: Client): Client => ({
    ...inner,
    create: async (type, object) => inner.create(type, checked(object)),
    apply: async (type, object, options) => inner.apply(type, checked(object), options),
  });
  const get: Client['get'] = async (type, ref) => {
    const object = await client.get(type, ref);
    if (type.kind === 'Session') seen = object as unknown as Session;
    return object;
  };
  return { ...client, get, as: (person) => acting(client.as(person)) };
}

export interface Functions {
  client: (name: 'session' | 'question') => Client;
  queue: Queue;
  now: () => Date;
}

interface Run {
  luck: number;
  death?: Death | undefined;
  look?: Look;
}

/** Runs the function of an event. Throws where it failed for another reason than its death. */
export async function handle(
  event: Event,
  { client, queue, now }: Functions,
  { luck, death, look }: Run,
): Promise<void> {
  const random = randomOf(Math.floor(luck * 2 ** 32));
  const tell = (object: KubeObject) => queue.send(object, random);
  const name = event.kind === 'Session' ? 'session' : 'question';
  const options = { client: dutiful(mortal(client(name), tell, death), now), now, look };
  const outcome =
    event.kind === 'Session' ? await reconcile(sessions, event, options) : await reconcile(questions, event, options);
  if (outcome.kind !== 'failed') return;
  if (!outcome.message.includes('Killed')) throw new Error(`function ${name} on ${event.name}: ${outcome.message}`);
}
