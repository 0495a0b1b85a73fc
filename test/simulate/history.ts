/** Random histories, as data: the same seed gives the same, and leaving out steps leaves the others as they were. */

export type Person = 'alice' | 'bob';
export type Kind = 'PersistentVolumeClaim' | 'NetworkPolicy' | 'Deployment';
export type Word = 'working' | 'waiting' | 'finished' | 'goes on';

/** `luck`, from 0 to 1, decides what else is random in a step: which event is delivered, whether one is lost. */
export type Step = { luck: number } & (
  | { do: 'create' | 'delete'; who: Person; session: string }
  | { do: 'suspend' | 'resume' | 'message' | 'touch'; who: Person; session: string }
  | { do: 'agent'; session: string; says: Word }
  | { do: 'ask'; session: string; question: string }
  | { do: 'answer'; who: Person; question: string; option: 'allow' | 'deny' }
  | { do: 'drop child'; session: string; kind: Kind }
  | { do: 'edit child'; session: string; kind: Kind }
  | { do: 'take rights' | 'give rights' | 'sweep' }
  | { do: 'time'; minutes: number }
  /** `killAt`: the write, before or after which the function is killed. */
  | { do: 'deliver'; killAt?: number; after?: boolean }
);

/** A generator of numbers from 0 to 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SESSIONS = ['a', 'b', 'c', 'd'];
const KINDS: Kind[] = ['PersistentVolumeClaim', 'NetworkPolicy', 'Deployment'];
const WORDS: Word[] = ['working', 'waiting', 'finished', 'goes on'];
const EDITS = ['suspend', 'resume', 'message', 'touch'] as const;
const QUESTIONS = 12;

type Make = (pick: Pick, random: () => number) => Omit<Step, 'luck'>;
type Pick = <T>(items: readonly T[]) => T;

const who = (pick: Pick): Person => pick(['alice', 'bob']);

/** How often each comes, relative to the others. */
const KINDS_OF_STEP: [weight: number, make: Make][] = [
  [8, (pick) => ({ do: 'create', who: who(pick), session: pick(SESSIONS) })],
  [8, (pick) => ({ do: pick(EDITS), who: who(pick), session: pick(SESSIONS) })],
  [2, (pick) => ({ do: 'delete', who: who(pick), session: pick(SESSIONS) })],
  [10, (pick) => ({ do: 'agent', session: pick(SESSIONS), says: pick(WORDS) })],
  [3, (pick, random) => ({ do: 'ask', session: pick(SESSIONS), question: `q${Math.floor(random() * QUESTIONS)}` })],
  [
    4,
    (pick, random) => ({
      do: 'answer',
      who: who(pick),
      question: `q${Math.floor(random() * QUESTIONS)}`,
      option: pick(['allow', 'allow', 'deny'] as const),
    }),
  ],
  [4, (pick) => ({ do: pick(['drop child', 'edit child'] as const), session: pick(SESSIONS), kind: pick(KINDS) })],
  [1, (pick) => ({ do: pick(['take rights', 'give rights'] as const) })],
  [2, (_, random) => ({ do: 'time', minutes: Math.ceil(random() * 90) })],
  [1, () => ({ do: 'sweep' })],
  [
    30,
    (_, random) =>
      random() < 0.3 ? { do: 'deliver', killAt: Math.ceil(random() * 6), after: random() < 0.5 } : { do: 'deliver' },
  ],
];
const WEIGHTED = KINDS_OF_STEP.flatMap(([weight, make]) => Array.from({ length: weight }, () => make));

function makeStep(random: () => number): Step {
  const pick: Pick = (items) => items[Math.floor(random() * items.length)] as never;
  const make = WEIGHTED[Math.floor(random() * WEIGHTED.length)] as Make;
  return { luck: random(), ...make(pick, random) } as Step;
}

/** `length` steps. */
export function historyOf(seed: number, length: number): Step[] {
  const random = randomOf(seed);
  return Array.from({ length }, () => makeStep(random));
}
