/**
 * Direct mode: on a cluster without Knative nobody is woken by an event, so the command runs the functions' own
 * reconciliation in its process, with the person's rights and nobody else's. With Knative it does nothing.
 */
import type { Person } from '../lib/api/meta.ts';
import type { Session } from '../lib/api/session.ts';
import { samePerson } from '../lib/identity/person.ts';
import { installedRegistry } from '../lib/install/installation.ts';
import { type Client, QUESTIONS, type Ref, SESSIONS } from '../lib/kube/types.ts';
import type { Outcome } from '../lib/outcome.ts';
import type { Reconciler } from '../lib/plan.ts';
import type { App, Connection } from './app.ts';
import { Failure } from './failure.ts';
import { whoAmI } from './identity.ts';
import { hasEventing } from './knative.ts';
import { withProgress } from './output/progress.ts';
import { safeLine } from './output/safe.ts';
import { ownerOf } from './session/take-over.ts';

/**
 * Only the person's own deeds are done: with somebody else's spec or answer their rights would do another's will.
 * What was refused is kept, because a reconciliation has words for the cluster's refusals alone.
 */
function makeOptions(app: App, { client }: Connection, me: Person | undefined) {
  const kept: { refusal?: Failure } = {};
  const actAs = (person: Person): Client => {
    if (me && samePerson(person, me)) return client;
    const you = me ? `you are ${safeLine(me.username)}` : 'this cluster does not say who you are';
    kept.refusal = new Failure(
      `nothing was done here, because it is to be done as ${safeLine(person.username)}, and ${you}`,
      'This cluster has no Knative, so tiny acts with your own rights, and for nobody else.',
    );
    throw kept.refusal;
  };
  return { kept, options: { client, now: app.now, actAs } };
}

type Acting = ReturnType<typeof makeOptions>;

function checked(outcome: Outcome, what: string, { kept }: Acting): void {
  if (outcome.kind === 'done') return;
  if (kept.refusal) throw kept.refusal;
  throw new Failure(
    `${what} was written, but acting on it failed: ${outcome.message}`,
    'This cluster has no Knative, so tiny acts with your own rights; those must cover what a Session is made of,',
    'and patch on sessions/status and questions/status. `tiny touch` tries again.',
  );
}

/** How Sessions are reconciled on this cluster: with images from where its installation has them. */
export async function sessionsHere(app: App, { client }: Connection): Promise<Reconciler<Session>> {
  const [{ withImagesFrom }, { sessionsWithin }, registry] = await Promise.all([
    import('../lib/session/images.ts'),
    import('../lib/session/plan.ts'),
    app.env.registry ?? installedRegistry(client),
  ]);
  // The person is here: how old their stamp is does not matter.
  return withImagesFrom(registry, sessionsWithin(undefined));
}

/** Does for the Session what its function would do. Another person's Session is left to that person. */
export async function settleSession(app: App, ref: Ref): Promise<void> {
  const cluster = await app.cluster();
  if (await hasEventing(cluster.client)) return;
  const session = await cluster.client.get(SESSIONS, ref);
  if (!session) return;
  const me = await whoAmI(cluster.client);
  if (!me || !samePerson(session.spec.requester, me)) {
    const why = me ? '' : ', and this cluster does not say who you are';
    return app.note(
      `Session ${ref.name} acts for ${ownerOf(session)}${why}: nothing is done for it here. It is for them to \`${app.program} touch\` it.`,
    );
  }
  const [{ reconcile }, reconciler] = await Promise.all([import('../lib/reconcile.ts'), sessionsHere(app, cluster)]);
  const acting = makeOptions(app, cluster, me);
  const work = () => reconcile(reconciler, ref, acting.options);
  checked(await withProgress(app.io.stderr, `Materialising ${ref.name}`, work), `Session "${ref.name}"`, acting);
}

/** Does for an answered Question what its function would do, then for the Sessions that it concerns. */
export async function settleQuestion(app: App, ref: Ref): Promise<void> {
  const cluster = await app.cluster();
  if (await hasEventing(cluster.client)) return;
  const [{ reconcile }, { questionsWithin }] = await Promise.all([
    import('../lib/reconcile.ts'),
    import('../lib/question/plan.ts'),
  ]);
  const acting = makeOptions(app, cluster, await whoAmI(cluster.client));
  checked(
    await reconcile(questionsWithin(undefined), ref, acting.options),
    `The answer to Question "${ref.name}"`,
    acting,
  );
  const question = await cluster.client.get(QUESTIONS, ref);
  const concerned = [question?.status?.child, question?.spec.session].filter((name) => name !== undefined);
  for (const name of concerned) await settleSession(app, { ...ref, name });
}
