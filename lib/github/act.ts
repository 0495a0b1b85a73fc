/**
 * Does what somebody asks for on GitHub: who may write to the repository, is known to the cluster and may make Sessions there,
 * starts one or tells it more. Strangers are not even told no, so that nobody makes this write comments.
 */
import type { Person } from '../api/meta.ts';
import { type Identities, whoIs } from '../identity/mapping.ts';
import type { Ref } from '../kube/types.ts';
import { withBranches } from './branches.ts';
import { markOf, write } from './comments.ts';
import type { Act } from './delivery.ts';
import { mayWrite } from './permission.ts';
import { LABEL, type Placed, projectOfRepository } from './project.ts';
import { subject } from './prompt.ts';
import { startOrTell } from './start.ts';
import type { TellOptions } from './tell.ts';
import { fenced } from './text.ts';

export interface ActOptions extends TellOptions {
  identities: () => Identities;
}

/** What came of an act: a Session to tell about, or why there is none; `words` go to whoever looks at deliveries. */
export interface Done {
  words: string;
  session?: Ref;
}

/** GitHub lets a delivery be sent again for three days. Milliseconds. */
const OLDEST_MS = 4 * 24 * 60 * 60 * 1000;
const AHEAD_MS = 10 * 60 * 1000;

function untimely({ at }: Act, now: Date): string | undefined {
  const age = now.getTime() - Date.parse(at);
  return age <= OLDEST_MS && age >= -AHEAD_MS ? undefined : 'it is too long ago, or not yet';
}

/** Whether it is worth asking GitHub who they are: whom it calls nobody, and the cluster does not know, is nobody. */
function isStranger(act: Act, identities: Identities): boolean {
  const known = 'person' in whoIs(identities, { from: 'github', ...act.by });
  return !known && !['OWNER', 'MEMBER', 'COLLABORATOR', undefined].includes(act.association);
}

/** Throws what passes by itself, and `GitHubError`. */
export async function doAct(act: Act, options: ActOptions): Promise<Done> {
  const placed = projectOfRepository(options.projects(), act.repository.name);
  if (!placed) return { words: `no project works for ${act.repository.name}: ConfigMap tiny-intake names them` };
  if (act.label !== undefined && act.label !== (placed.githubLabel ?? LABEL))
    return { words: 'the label says nothing here' };
  const late = untimely(act, options.now());
  if (late) return { words: late };
  if (isStranger(act, options.identities()) || !(await mayWrite(options.github, act.repository.name, act.by)))
    return { words: `${act.by.login} may not write to ${act.repository.name}, so nothing was done` };
  const who = whoIs(options.identities(), { from: 'github', ...act.by });
  if ('refusal' in who) return await refuse(act, who.message, options);
  return await asPerson(await withBranches(act, options.github), { placed, person: who.person }, options);
}

async function asPerson(
  act: Act,
  { placed, person }: { placed: Placed; person: Person },
  options: ActOptions,
): Promise<Done> {
  const outcome = await startOrTell(options.client, placed, { act, person });
  if (outcome.kind === 'refused') return await refuse(act, outcome.message, options);
  const { name, namespace = '' } = outcome.session.metadata;
  return { words: `${outcome.kind}: Session ${namespace}/${name} as ${person.username}`, session: { name, namespace } };
}

/** Tells whoever acted, in one comment an issue. */
async function refuse(act: Act, why: string, { github, secret }: ActOptions): Promise<Done> {
  const mark = markOf(secret(), `refusal\n${subject(act)}`);
  const body = `@${act.by.login}, nothing was done:\n\n${fenced(why)}`;
  await write(github, { repository: act.repository.name, number: act.number }, { mark, body });
  return { words: `refused: ${why}` };
}
