/**
 * Direct mode: on a cluster without Knative nobody is woken by an event, so the command runs the functions' own
 * reconciliation in its process, with the person's rights and nobody else's. With Knative it does nothing.
 */
import { samePerson } from '../lib/identity/person.ts';
import { QUESTIONS, type Ref, SESSIONS } from '../lib/kube/types.ts';
import type { Outcome } from '../lib/outcome.ts';
import type { App, Connection } from './app.ts';
import { Failure } from './failure.ts';
import { whoAmI } from './identity.ts';
import { hasEventing } from './knative.ts';
import { withProgress } from './output/progress.ts';

const options = (app: App, { client }: Connection) => ({ client, now: app.now, actAs: () => client });

function checked(outcome: Outcome, what: string): void {
  if (outcome.kind === 'done') return;
  throw new Failure(
    `${what} was written, but acting on it failed: ${outcome.message}`,
    'This cluster has no Knative, so tiny acts with your own rights; those must cover what a Session is made of,',
    'and patch on sessions/status and questions/status. `tiny touch` tries again.',
  );
}

/** Does for the Session what its function would do. Another person's Session is left to that person. */
export async function settleSession(app: App, ref: Ref): Promise<void> {
  const cluster = await app.cluster();
  if (await hasEventing(cluster.client)) return;
  const session = await cluster.client.get(SESSIONS, ref);
  if (!session) return;
  const me = await whoAmI(cluster.client);
  if (me && !samePerson(session.spec.requester, me)) {
    const owner = session.spec.requester?.username ?? 'nobody';
    return app.note(`Session ${ref.name} acts for ${owner}; \`tiny touch ${ref.name}\` takes it over.`);
  }
  const [{ reconcile }, { sessions }] = await Promise.all([
    import('../lib/reconcile.ts'),
    import('../lib/session/plan.ts'),
  ]);
  const work = () => reconcile(sessions, ref, options(app, cluster));
  checked(await withProgress(app.io.stderr, `Materialising ${ref.name}`, work), `Session "${ref.name}"`);
}

/** Does for an answered Question what its function would do, then for the Sessions that it concerns. */
export async function settleQuestion(app: App, ref: Ref): Promise<void> {
  const cluster = await app.cluster();
  if (await hasEventing(cluster.client)) return;
  const [{ reconcile }, { questions }] = await Promise.all([
    import('../lib/reconcile.ts'),
    import('../lib/question/plan.ts'),
  ]);
  checked(await reconcile(questions, ref, options(app, cluster)), `The answer to Question "${ref.name}"`);
  const question = await cluster.client.get(QUESTIONS, ref);
  const concerned = [question?.status?.child, question?.spec.session].filter((name) => name !== undefined);
  for (const name of concerned) await settleSession(app, { ...ref, name });
}
