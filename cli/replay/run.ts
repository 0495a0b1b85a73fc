/** A stored event into a function's own code, in this process: parsed, planned and carried out as a delivered one. */
import type { KubeObject } from '../../lib/api/meta.ts';
import { receive, type Subject, UnreadableEvent } from '../../lib/event/receive.ts';
import { samePerson } from '../../lib/identity/person.ts';
import { HTTP_STATUS } from '../../lib/outcome.ts';
import type { Reconciler } from '../../lib/plan.ts';
import { questions } from '../../lib/question/plan.ts';
import { reconcile } from '../../lib/reconcile.ts';
import type { App } from '../app.ts';
import { sessionsHere } from '../direct.ts';
import { Failure } from '../failure.ts';
import { whoAmI } from '../identity.ts';
import { document } from '../output/document.ts';
import { safeLine } from '../output/safe.ts';
import { planText } from './plan-text.ts';
import type { StoredEvent } from './stored.ts';

interface Addressed {
  reconciler: Reconciler<KubeObject>;
  subject: Subject;
}

/** The function that takes the event, and the object that it is about. */
async function address(app: App, event: StoredEvent): Promise<Addressed> {
  const refusals: string[] = [];
  const functions = [await sessionsHere(app, await app.cluster()), questions] as readonly Reconciler<KubeObject>[];
  for (const reconciler of functions) {
    try {
      return { reconciler, subject: receive({ headers: event.headers, body: event.body }, reconciler.type) };
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      refusals.push(`function ${reconciler.type.kind.toLowerCase()}: ${error.message}`);
    }
  }
  throw new Failure('no function takes this event: each would answer 400', ...refusals);
}

/** Prints what the function would do. */
export async function dryRun(app: App, event: StoredEvent): Promise<void> {
  const { client } = await app.cluster();
  const { reconciler, subject } = await address(app, event);
  const object = await client.get(reconciler.type, subject);
  if (!object) {
    const name = `${subject.kind} ${subject.namespace}/${subject.name}`;
    return app.print(`nothing to do: ${name} is gone\n`);
  }
  const plan = reconciler.plan(object, app.now());
  const { output } = app.flags;
  app.print(output === 'json' || output === 'yaml' ? await document(plan, output) : planText(plan));
}

/**
 * Does what the function would do. Where the plan is this person's own it is done with their credentials; another
 * person is impersonated, as the function would, if the cluster lets this person do so.
 */
export async function replay(app: App, event: StoredEvent): Promise<void> {
  const { client } = await app.cluster();
  const { reconciler, subject } = await address(app, event);
  const me = await whoAmI(client);
  const outcome = await reconcile(reconciler, subject, {
    client,
    now: app.now,
    actAs: (person) => (samePerson(person, me) ? client : client.as(person)),
  });
  const { kind, message } = outcome;
  const name = `${subject.kind} ${subject.namespace}/${subject.name}`;
  if (kind !== 'done') throw new Failure(`${name}: ${kind} (HTTP ${HTTP_STATUS[kind]}): ${message}`);
  app.print(`${name}: done (HTTP ${HTTP_STATUS.done}): ${safeLine(message)}\n`);
}
