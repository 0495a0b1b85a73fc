/**
 * `tiny new --from`: a new Session with the clone and the conversation of another. It is made suspended, its volume is
 * filled, and only then it begins; where that fails, it is taken away again, so that none begins with half of it.
 */
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import type { Manifest } from '../../lib/archive/layout.ts';
import { isAlreadyExists } from '../../lib/kube/errors.ts';
import { SESSIONS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import { settleSession } from '../direct.ts';
import { Failure, UsageError } from '../failure.ts';
import { whoAmI } from '../identity.ts';
import { safeLine } from '../output/safe.ts';
import { changeSession, printDone } from '../session/change.ts';
import { unlessFull } from '../session/full.ts';
import { makeName } from '../session/name.ts';
import { makeSession, type SpecOptions } from '../session/spec.ts';
import { waitUntilFinished } from '../session/wait.ts';
import { readText } from '../text/read.ts';
import { fill } from './fill.ts';
import { findOrigin, type Origin } from './origin.ts';

export interface FromOptions extends SpecOptions {
  from: string;
  file?: string;
  name?: string;
  wait?: boolean;
  dryRun?: unknown;
}

const GO_ON = 'Go on where the earlier conversation ended.';

/** What was not told otherwise: what says what is worked on, and nothing that would run or open something. */
function inherited({ spec }: Manifest, told: SpecOptions): SpecOptions {
  const { agent, repository, storage } = spec;
  const isSame = (told.agent ?? agent.name) === agent.name;
  return {
    agent: agent.name,
    ...(isSame && agent.model && { model: agent.model }),
    ...(repository && { repo: repository.url, ...(repository.ref && { ref: repository.ref }) }),
    ...(storage && { storage: storage.size }),
  };
}

/** The clone is there already, and another repository or branch would be named and not worked on. */
function refuseAnother({ session, spec: { repository } }: Manifest, { repo, ref }: SpecOptions): void {
  const isSame = (repo ?? repository?.url) === repository?.url && (ref ?? repository?.ref) === repository?.ref;
  if (isSame) return;
  const what = repository ? `its clone along, of ${safeLine(repository.url)}` : 'no clone along, and gets none';
  throw new UsageError(
    `Session ${safeLine(session.name)} brings ${what}: --repo and --ref can't be others`,
    'Without --from a new clone is made.',
  );
}

async function create(app: App, session: Session): Promise<Stored<Session>> {
  const { client, namespace } = await app.cluster();
  try {
    return await client.create(SESSIONS, session);
  } catch (error) {
    if (!isAlreadyExists(error)) throw await unlessFull(app, error);
    throw new Failure(
      `Session "${session.metadata.name}" exists already in namespace ${namespace}`,
      'Choose another --name.',
    );
  }
}

/** Makes it, and begins with it what `options` say. */
export async function newFrom(app: App, argument: string | undefined, options: FromOptions): Promise<void> {
  if (options.dryRun) throw new UsageError('--from makes a volume and fills it: it takes no --dry-run');
  const given = argument !== undefined || options.file !== undefined;
  const prompt = given ? await readText(app, { what: 'prompt', argument, file: options.file }) : GO_ON;
  const origin = await findOrigin(app, options.from);
  refuseAnother(origin.manifest, options);
  const { client, namespace } = await app.cluster();
  const before = origin.manifest.session.name;
  const name = options.name ?? makeName(given ? prompt : before, app.random(5));
  const spec = { ...inherited(origin.manifest, options), ...options, suspend: true };
  const made = await create(app, makeSession(prompt, spec, { name, namespace, requester: await whoAmI(client) }));
  await settleSession(app, { namespace, name });
  await filled(app, made, origin);
  if (!options.suspend) await begin(app, made);
  await printDone(app, made, `created, going on from ${before}`);
  if (options.wait) await waitUntilFinished(app, made);
}

async function filled(app: App, made: Stored<Session>, origin: Origin): Promise<void> {
  const { client, namespace } = await app.cluster();
  const { name, uid } = made.metadata;
  try {
    await fill(app, made, origin);
  } catch (error) {
    await client.delete(SESSIONS, { namespace, name }, { uid });
    app.note(`Session ${name} was deleted again, since not all of its volume was there.`);
    throw error;
  }
}

async function begin(app: App, { metadata: { name, uid } }: Stored<Session>): Promise<void> {
  const { namespace } = await app.cluster();
  await changeSession(app, `${name}@${uid}`, { change: () => [{ op: 'add', path: '/spec/suspend', value: false }] });
  await settleSession(app, { namespace, name });
}
