import { describe, expect, test } from 'vitest';
import { QUESTIONS, SESSIONS } from '../../../lib/kube/types.ts';
import { withdraw } from '../../../lib/question/withdraw.ts';
import { apiError, type Hooks, MemoryServer } from '../../support/memory-client.ts';
import { at, condition, makeQuestion, makeSession, NOW, YES } from '../../support/objects.ts';

const REF = { namespace: 'team-a', name: 'fix-1' };
const FINISHED = { conditions: [condition('Finished', 'True')] };
const OWNER = { apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', name: 'fix', uid: 'uid-of-fix' };

async function ran(session: object | undefined, question: object = {}, hooks: Hooks = {}) {
  const server = new MemoryServer(hooks);
  if (session) server.put(SESSIONS, makeSession(session));
  server.put(QUESTIONS, makeQuestion(question));
  const outcome = await withdraw(REF, { client: server.client('tiny-question'), now: () => NOW });
  const said = server
    .peek(QUESTIONS, REF)
    ?.status?.conditions?.map(({ type, status, reason }) => [type, status, reason]);
  return { outcome, said, server };
}

const WITHDRAWN = [
  ['Answered', 'False', 'Withdrawn'],
  ['Acted', 'False', 'Withdrawn'],
];

describe('a Question is withdrawn', () => {
  test('once its Session has finished', async () => {
    expect((await ran({ status: FINISHED })).said).toEqual(WITHDRAWN);
  });

  test('once its Session is gone, or another by now', async () => {
    const owned = { metadata: { ownerReferences: [OWNER] } };
    expect((await ran(undefined, owned)).said).toEqual(WITHDRAWN);
    expect((await ran({ metadata: { uid: 'another' } }, owned)).said).toEqual(WITHDRAWN);
  });
});

describe('a Question stays', () => {
  test.each([
    ['whose Session works', {}, {}],
    ['that is answered', { status: FINISHED }, { spec: { answer: YES } }],
    ['that has expired', { status: FINISHED }, { spec: { expiresAt: at(-1) } }],
    ['that somebody asked by hand', undefined, {}],
  ])('%s', async (_what, session, question) => {
    expect((await ran(session, question)).said).toBeUndefined();
  });

  test('that is answered in the same moment', async () => {
    const { outcome } = await ran(
      { status: FINISHED },
      {},
      {
        before: ({ verb }) => {
          if (verb === 'applyStatus') throw apiError(409, 'Conflict', 'changed');
        },
      },
    );
    expect(outcome).toBeUndefined();
  });

  test('while the API server does not answer, and the event comes again', async () => {
    const { outcome } = await ran(
      {},
      {},
      {
        before: () => {
          throw apiError(500, 'InternalError', 'x');
        },
      },
    );
    expect(outcome).toMatchObject({ kind: 'failed' });
  });
});
