import { expect, test } from 'vitest';
import { findCondition, isTrue } from '../../../lib/api/conditions.ts';
import type { Condition } from '../../../lib/api/meta.ts';
import type { Session } from '../../../lib/api/session.ts';
import { DEPLOYMENTS, SESSIONS } from '../../../lib/kube/types.ts';
import { reconcile } from '../../../lib/reconcile.ts';
import { atZero } from '../../../lib/session/lifetime.ts';
import { sessions } from '../../../lib/session/plan.ts';
import { fc } from '../../support/fast-check.ts';
import { apiError, type Hooks, MemoryServer } from '../../support/memory-client.ts';
import { at, BOB, condition, makeSession, NOW } from '../../support/objects.ts';

const REF = { namespace: 'team-a', name: 'fix' };

function world() {
  const hooks: Hooks = {};
  const server = new MemoryServer(hooks);
  server.put(SESSIONS, makeSession() as Session);
  const run = () => reconcile(sessions, REF, { client: server.client('tiny-session'), now: () => NOW });
  const agent = server.client('tiny-agent');
  let writes = 0;
  hooks.after = (_asked, write) => {
    writes = Math.max(writes, write);
  };
  const edit = (change: (spec: Session['spec']) => void) => server.change(SESSIONS, REF, ({ spec }) => change(spec));
  const said = new Map<string, Condition>();
  /** As the tools do: all that was ever said, applied as one. */
  const say = (finished: 'True' | 'False', reason: string, more: object = {}) => {
    said.set('Ready', condition('Ready', reason === 'Working' ? 'True' : 'False', { reason }));
    said.set('Finished', condition('Finished', finished, { reason: 'Said' }));
    const status = { conditions: [...said.values()], ...more };
    return agent.applyStatus(SESSIONS, { apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', metadata: REF, status });
  };
  const interrupted = async (when: Hooks['before'], at: 'before' | 'after') => {
    const calm = hooks[at];
    hooks[at] = when;
    await run();
    if (calm) hooks[at] = calm;
    else delete hooks[at];
  };
  return { server, run, edit, say, interrupted, writes: () => writes };
}

type World = ReturnType<typeof world>;
interface Step {
  what: string;
  do: (world: World) => unknown;
}

const steps: Step[] = [
  { what: 'an event', do: ({ run }) => run() },
  { what: 'three events at once', do: ({ run }) => Promise.all([run(), run(), run()]) },
  { what: 'suspend', do: ({ edit }) => edit((spec) => Object.assign(spec, { suspend: true })) },
  { what: 'resume', do: ({ edit }) => edit((spec) => Object.assign(spec, { suspend: false })) },
  { what: 'another person', do: ({ edit }) => edit((spec) => Object.assign(spec, { requester: BOB, touched: at(0) })) },
  {
    what: 'a message',
    do: ({ edit }) =>
      edit((spec) => {
        const id = `m${spec.messages?.length ?? 0}`;
        spec.messages = [...(spec.messages ?? []), { id, text: 'more' }];
      }),
  },
  { what: 'the agent works', do: ({ say }) => say('False', 'Working') },
  { what: 'the agent finishes', do: ({ say }) => say('True', 'Finished', { messagesRead: 99 }) },
  { what: 'the agent goes on', do: ({ say }) => say('False', 'Resumed') },
  ...[1, 2, 3, 4, 5].flatMap((k): Step[] => [
    {
      what: `a function killed before its write ${k}`,
      do: ({ interrupted, writes }) => {
        const last = writes() + k;
        return interrupted((_asked, write) => {
          if (write >= last) throw new Error('killed');
        }, 'before');
      },
    },
    {
      what: `a function killed after its write ${k}`,
      do: ({ interrupted, writes }) => {
        const last = writes() + k;
        return interrupted((_asked, write) => {
          if (write >= last) throw new Error('killed');
        }, 'after');
      },
    },
  ]),
  {
    what: 'a refusal',
    do: ({ interrupted }) =>
      interrupted(({ kind, verb }) => {
        if (kind === 'Deployment' && verb !== 'get') throw apiError(403, 'Forbidden', 'no');
      }, 'before'),
  },
];

test('whatever happens in whatever order, it comes to what the Session asks for, and then rests', async () => {
  const step = fc.constantFrom(...steps);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (story) => {
      const given = world();
      for (const { do: happen } of story) await happen(given);
      const { server, run } = given;
      for (let i = 0; i < 3; i++) await run();

      const session = server.peek(SESSIONS, REF);
      if (!session) throw new Error('the Session is gone');
      const zero = atZero(session, NOW);
      expect(server.peek(DEPLOYMENTS, REF)).toMatchObject({ spec: { replicas: zero ? 0 : 1 } });
      expect(server.all()).toHaveLength(5);
      expect(isTrue(session, 'Materialised')).toBe(true);
      expect(findCondition(session, 'Suspended')).toMatchObject({
        status: zero ? 'True' : 'False',
        reason: zero ?? 'Running',
      });
      expect(findCondition(session, 'Ready')).toBeDefined();

      const before = server.asked.length;
      await run();
      expect(server.verbs().slice(before)).toEqual(['get Session']);
    }),
    { numRuns: 150 },
  );
});
