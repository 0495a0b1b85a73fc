/** Sessions and Questions as an API server gives them back, made from what a test is about and defaults for the rest. */
import type { Condition, ObjectMeta, Person, Stored } from '../../lib/api/meta.ts';
import { type Question, questionSpec } from '../../lib/api/question.ts';
import { type Session, sessionSpec } from '../../lib/api/session.ts';

export const NOW = new Date('2026-11-30T12:00:00Z');
export const ALICE: Person = { username: 'alice', uid: 'uid-alice', groups: ['team', 'system:authenticated'] };
export const BOB: Person = { username: 'bob', groups: ['team'] };
export const CAROL: Person = { username: 'carol' };

/** `2026-11-30T12:00:00Z` moved by some seconds. */
export const at = (seconds: number): string =>
  `${new Date(NOW.getTime() + seconds * 1000).toISOString().slice(0, 19)}Z`;

export const condition = (type: string, status: Condition['status'], more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  reason: 'Reason',
  message: 'message',
  lastTransitionTime: at(-60),
  ...more,
});

interface Parts {
  metadata?: Partial<ObjectMeta>;
  spec?: Record<string, unknown>;
  status?: object;
}

const identity = (name: string) => ({
  name,
  namespace: 'team-a',
  uid: `uid-of-${name}`,
  resourceVersion: '7',
  generation: 1,
  creationTimestamp: at(-120),
});

/** A Session of alice's that was just made. */
export const makeSession = ({ metadata, spec, status }: Parts = {}): Stored<Session> => ({
  apiVersion: 'tiny.dev/v1alpha1',
  kind: 'Session',
  metadata: { ...identity(metadata?.name ?? 'fix'), ...metadata },
  spec: sessionSpec.parse({ prompt: 'fix the tests', requester: ALICE, ...spec }),
  ...(status && { status }),
});

const OPTIONS = [
  { id: 'allow', text: 'Yes', effect: 'Allow' },
  { id: 'deny', text: 'No', effect: 'Deny' },
];

/** Whether Session `helper` may be made, asked by the agent of Session `fix`. */
export const makeQuestion = ({ metadata, spec, status }: Parts = {}): Stored<Question> => ({
  apiVersion: 'tiny.dev/v1alpha1',
  kind: 'Question',
  metadata: { ...identity(metadata?.name ?? 'fix-1'), ...metadata },
  spec: questionSpec.parse({
    session: 'fix',
    kind: 'Spawn',
    text: 'May I?',
    options: OPTIONS,
    spawn: { name: 'helper', spec: { prompt: 'help' } },
    ...spec,
  }),
  ...(status && { status }),
});

/** A yes of bob's. */
export const YES = { option: 'allow', by: BOB };
