/**
 * Changes of a Session's spec. Each carries who makes it, because a cluster without mutating admission policies
 * only checks the stamp and expects the client to fill it in (design, section 6); elsewhere the server's wins.
 */
import type { Command } from 'commander';
import { toTimestamp } from '../../lib/api/conditions.ts';
import type { Person, Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import type { Session } from '../../lib/api/session.ts';
import { isConflict } from '../../lib/kube/errors.ts';
import { type Patch, SESSIONS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import { settleSession } from '../direct.ts';
import { Failure } from '../failure.ts';
import { whoAmI } from '../identity.ts';
import { document, objectName } from '../output/document.ts';
import { find, refuseAnother } from './find.ts';
import { makeOwnershipCheck, type Ownership } from './take-over.ts';

export type Operations = Extract<Patch, { type: 'json' }>['body'];
/** What to change, from the Session as it is; a string says why nothing needs to be. */
export type Change = (session: Stored<Session>) => Operations | string;

/** An object that changes under every attempt is changing faster than a person can mean. */
const ATTEMPTS = 5;

const stamp = (person: Person | undefined): Operations =>
  person ? [{ op: 'add', path: '/spec/requester', value: person }] : [];

/** Whoever changes it says by that that it is to go on in their name. */
const touch = (now: Date): Operations => [{ op: 'add', path: '/spec/touched', value: toTimestamp(now) }];

/** Fails with a conflict where the Session is no longer the one that was read. */
const unchanged = ({ metadata: { resourceVersion } }: Stored<Session>): Operations => [
  { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
];

function unlessConflict(error: unknown): undefined {
  if (!isConflict(error)) throw error;
}

/** What to change, and whether of somebody else's, too. */
export interface Changing extends Ownership {
  change: Change;
}

/** The flags of every command that changes a Session. */
export const addOwnershipFlags = (command: Command): Command =>
  command
    .option('--take-over', "of somebody else's Session, too: show what would run as you, ask, and have it act for you")
    .option('-y, --yes', 'with --take-over: do not ask');

/** Reads, changes under the condition that nobody was in between, and begins anew where somebody was. */
export async function changeSession(
  app: App,
  name: string,
  { change, ...ownership }: Changing,
): Promise<Stored<Session> | string> {
  const { client, namespace } = await app.cluster();
  const checkOwner = makeOwnershipCheck(app, ownership);
  let uid: string | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const session = await find(client, { type: SESSIONS, namespace, name });
    refuseAnother(session, uid);
    uid = session.metadata.uid;
    const operations = change(session);
    if (typeof operations === 'string') return operations;
    const me = await whoAmI(client);
    await checkOwner(session, me);
    const body = [...unchanged(session), ...operations, ...touch(app.now()), ...stamp(me)];
    const ref = { namespace, name: session.metadata.name };
    const changed = await client.patch(SESSIONS, ref, { type: 'json', body }).catch(unlessConflict);
    if (changed) return changed;
  }
  throw new Failure(`Session "${name}" changes faster than it can be written to`, 'Try again in a moment.');
}

/** Changes each named Session, settles it, and says so; what failed is told at the end. */
export async function changeEach(
  app: App,
  names: readonly string[],
  { verb, ...changing }: Changing & { verb: string },
): Promise<void> {
  const { namespace } = await app.cluster();
  await eachOf(app, names, async (name) => {
    const changed = await changeSession(app, name, changing);
    if (typeof changed === 'string') return app.note(changed);
    await printDone(app, changed, verb);
    await settleSession(app, { namespace, name: changed.metadata.name });
  });
}

/** `session.tiny.dev/x suspended`, or the object in the format asked for. */
export async function printDone(app: App, object: Stored<Session> | Stored<Question>, verb: string): Promise<void> {
  const { output } = app.flags;
  if (output === 'json' || output === 'yaml') app.print(await document(object, output));
  else app.print(`${objectName(object)}${output === 'name' ? '' : ` ${verb}`}\n`);
}

/** Does `act` for each name; one that fails doesn't keep the others from it, but the command fails. */
export async function eachOf(app: App, names: readonly string[], act: (name: string) => Promise<void>): Promise<void> {
  const failed: unknown[] = [];
  for (const name of names) await act(name).catch((error: unknown) => failed.push(error));
  const [first, ...others] = failed;
  if (failed.length === 0) return;
  const { explain } = await import('../explain.ts');
  for (const error of others) app.note(`error: ${explain(error, app).message}`);
  throw first;
}
