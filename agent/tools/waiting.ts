/** Tells that the Session waits, and for which Question, as long as one of those that were seen is open. */
import type { Question } from '../../lib/api/question.ts';
import type { Clock } from '../../lib/kube/clock.ts';
import type { Decision } from '../../lib/question/decision.ts';
import { cut } from '../cut.ts';
import { persistently } from '../polling.ts';
import { stir } from '../stir.ts';
import { passes } from './passing.ts';
import { MAX_OPEN } from './question-limit.ts';
import type { StatusPatch, StatusWriter } from './status-writer.ts';

/** How long the Session may wait before it is put to sleep, as its spec says; `undefined`: for ever. Milliseconds. */
export type Patience = () => number | undefined;

export interface Waiting {
  /** A Question was read, and this holds for it. */
  see(question: Question, decision: Decision): void;
  /** Nobody waits for it any more. */
  drop(name: string): void;
  /**
   * Whoever waited for it is gone. In a pod that goes down the Session waits on, and is to sleep; in one that stays up its
   * agent is started again and says where it is, and if not, nobody waits for it any more after a minute.
   */
  abandon(name: string): void;
  /** The harness tells where it is; what was open is seen again if it still matters. */
  reset(): void;
}

/** Longer than a pod's grace period, and than an agent takes to be started again. */
const ABANDONED_MS = 60_000;

const open = (name: string, text: string, all: Iterable<string>): StatusPatch => ({
  conditions: [
    { type: 'Ready', status: 'True', reason: 'Waiting', message: `waiting for the answer to Question ${name}` },
    { type: 'Waiting', status: 'True', reason: 'Question', message: `Question ${name}: ${text}` },
  ],
  waitingFor: [...all].sort().slice(0, MAX_OPEN),
});

const closed = (name: string): StatusPatch => ({
  conditions: [
    { type: 'Ready', status: 'True', reason: 'Working', message: `going on after Question ${name}` },
    { type: 'Waiting', status: 'False', reason: 'Answered', message: `Question ${name} is no longer open` },
  ],
  waitingFor: [],
});

interface Options {
  status: StatusWriter;
  /** Gets what could not be told. */
  log: (line: string) => void;
  patience: Patience;
  clock: Clock;
  /** Gives up what could not be told yet. */
  signal: AbortSignal;
}

export function makeWaiting({ status, log, patience, clock, signal }: Options): Waiting {
  const seen = new Map<string, { since: number; said: string }>();
  // A report that fails is tried again until a newer one takes its place: a Waiting that stays would put a Session that
  // works to sleep.
  let latest: StatusPatch | undefined;
  const tell = (patch: StatusPatch) => {
    latest = patch;
    const send = async () => (latest === patch ? status.tell(patch) : undefined);
    persistently(send, { clock, signal, isPassing: passes }).catch((error: Error) => {
      if (!signal.aborted) log(`the status could not be reported: ${error.message}`);
    });
  };
  const drop = (name: string) => {
    if (!seen.delete(name)) return;
    const [another] = seen;
    tell(another ? open(another[0], another[1].said, seen.keys()) : closed(name));
  };
  return {
    see({ metadata: { name }, spec: { text } }, { state }) {
      if (state !== 'open') return drop(name);
      const { since, said: before } = seen.get(name) ?? { since: clock.now() };
      const said = cut(text, 1024) + stir(clock.now() - since, patience());
      seen.set(name, { since, said });
      if (said === before) return;
      tell(open(name, said, seen.keys()));
    },
    drop,
    abandon(name) {
      const last = seen.get(name);
      const over = () => (seen.get(name) === last ? drop(name) : undefined);
      clock.sleep(ABANDONED_MS, signal).then(over, () => {});
    },
    reset() {
      seen.clear();
      latest = undefined;
    },
  };
}
