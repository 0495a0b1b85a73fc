/** A Session that asks goes to sleep on a real node, and the answer wakes it: how long that takes, beside a new Session. */
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { findCondition } from '../../lib/api/conditions.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { PODS, QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { session } from '../contract/objects.ts';
import { type Cluster, PROJECT } from './cluster/cluster.ts';
import { until } from './cluster/until.ts';

const NAME = 'sleeper';
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** The test; `cluster` runs by the time that it does. `say` gets what it has measured. */
export function testWaking(cluster: () => Cluster, say: (line: string) => void): void {
  const found = (what: string, wanted: (one: Stored<Session>) => boolean) =>
    until(`${NAME}, ${what}`, async () => {
      const one = await cluster().admin.get(SESSIONS, { namespace: PROJECT, name: NAME });
      return one && wanted(one) ? one : undefined;
    });
  const said = (words: string) => found(words, ({ status }) => status?.message === words);

  test('sleeps while it asks, without a pod, and goes on in the same turn once bob has answered', async () => {
    const prompt = stringify([{ status: 'begun' }, { ask: { text: 'Go on?' } }, { status: 'woken' }]);
    const spec = { prompt, storage: { size: '64Mi' }, idle: { suspendAfter: '2s', finishAfter: '0s' } };
    const asked = performance.now();
    await cluster()
      .as('alice')
      .create(SESSIONS, session(PROJECT, NAME, spec));
    await said('begun');
    const begins = seconds(asked);
    await found('asleep', (one) => findCondition(one, 'Suspended')?.reason === 'Idle');
    const selector = { namespace: PROJECT, labelSelector: `tiny.dev/session=${NAME}` };
    await until('no pod', async () => (await cluster().admin.list(PODS, selector)).items.length === 0);
    const fieldSelector = `spec.session=${NAME}`;
    const [question] = (await cluster().admin.list(QUESTIONS, { namespace: PROJECT, fieldSelector })).items;
    if (!question) throw new Error('it has asked nothing');
    const answered = performance.now();
    const body = { spec: { answer: { text: 'yes' } } };
    await cluster().as('bob').patch(QUESTIONS, question.metadata, { type: 'merge', body });
    // Its last words take the place of its status line a moment later.
    const isFinished = (one: Stored<Session>) => findCondition(one, 'Finished')?.status === 'True';
    await found('woken', (one) => one.status?.message === 'woken' || isFinished(one));
    say(
      `an answer to the next word of an agent that slept: ${seconds(answered)}; a new Session to the first: ${begins}`,
    );
    const { status } = await found('finished', isFinished);
    expect(status?.usage?.turns).toBe(1);
    await cluster().as('alice').delete(SESSIONS, { namespace: PROJECT, name: NAME });
  });
}
