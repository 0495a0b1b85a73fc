/**
 * The Session of an issue: made by the first act, told more by later ones, always as the person who acts. Whoever else's it
 * is by then, nobody's words start it anew: that would run another's Session with one's own rights.
 */
import type { Person, Stored } from '../api/meta.ts';
import type { Session } from '../api/session.ts';
import { samePerson } from '../identity/person.ts';
import { ASKED_BY, type AskedSession, makeAskedSession } from '../intake/make-session.ts';
import { isAlreadyExists, isBadRequest, isConflict, isForbidden, isInvalid, isNotFound } from '../kube/errors.ts';
import { type Client, type ResourceType, SESSIONS } from '../kube/types.ts';
import type { Act } from './delivery.ts';
import type { Placed } from './project.ts';
import { messageOf, promptOf, repositoryOf, subject } from './prompt.ts';

/** On a Session that belongs to an issue: which, `OWNER/REPO#NUMBER`. */
export const ISSUE = 'tiny.dev/github-issue';
/** On it: the act that has made it, whose words it therefore knows. */
const STARTED_BY = 'tiny.dev/github-act';

export type Outcome =
  | { kind: 'started' | 'told' | 'unchanged'; session: Stored<Session> }
  /** In words for whoever acted. */
  | { kind: 'refused'; message: string };

/** A Session that is sent without the defaults that the schema gives. */
const ASKED = SESSIONS as ResourceType as ResourceType<AskedSession>;
const ATTEMPTS = 5;
/** As the schema of Session has it. */
const MAX_MESSAGES = 64;

/** The Session that an act asks for. The issue's id and number name it, so that a renamed repository changes nothing. */
export function sessionOf(act: Act, { namespace, session = {} }: Placed, person: Person): AskedSession {
  const repository = { ...repositoryOf(act), ...(session.repository as object | undefined) };
  const key = `github\n${act.repository.id}\n${act.number}`;
  const made = makeAskedSession({
    namespace,
    key,
    title: `github-${act.number}`,
    prompt: promptOf(act),
    defaults: { ...session, repository },
    person,
  });
  const annotations = { ...made.metadata.annotations, [ISSUE]: subject(act), [STARTED_BY]: act.key };
  return { ...made, metadata: { ...made.metadata, annotations } };
}

/** Makes the issue's Session, or tells it what was said. Throws what passes by itself. */
export async function startOrTell(
  client: Client,
  placed: Placed,
  { act, person }: { act: Act; person: Person },
): Promise<Outcome> {
  const asked = sessionOf(act, placed, person);
  const asPerson = client.as(person);
  try {
    const made = await asPerson.create(ASKED, asked);
    return { kind: 'started', session: made as unknown as Stored<Session> };
  } catch (error) {
    if (isAlreadyExists(error)) return await tell(asPerson, asked, act);
    return refusalOf(error);
  }
}

const refused = (message: string): Outcome => ({ kind: 'refused', message });

function refusalOf(error: unknown): Outcome {
  if (isForbidden(error) || isInvalid(error) || isBadRequest(error) || isNotFound(error)) return refused(error.message);
  throw error;
}

async function tell(asPerson: Client, asked: AskedSession, act: Act): Promise<Outcome> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const outcome = await tellOnce(asPerson, asked, act);
    if (outcome) return outcome;
  }
  throw new Error('the Session changes faster than it can be told anything');
}

/** `undefined` where it changed meanwhile. */
async function tellOnce(asPerson: Client, asked: AskedSession, act: Act): Promise<Outcome | undefined> {
  const { name, namespace = '' } = asked.metadata;
  try {
    const live = await asPerson.get(SESSIONS, { name, namespace });
    if (!live) return refused(`Session "${name}" came and went`);
    const settled = settledAlready(live, asked, act);
    if (settled) return settled;
    const message = { id: `github-${act.key}`, text: messageOf(act), at: act.at };
    return { kind: 'told', session: await asPerson.patch(SESSIONS, { name, namespace }, append(live, message, asked)) };
  } catch (error) {
    if (isConflict(error)) return undefined;
    return refusalOf(error);
  }
}

/** Where nothing is to be said, or may not be. */
function settledAlready(live: Stored<Session>, asked: AskedSession, act: Act): Outcome | undefined {
  const { name, annotations = {} } = live.metadata;
  if (annotations[ASKED_BY] !== asked.metadata.annotations?.[ASKED_BY])
    return refused(`Session "${name}" exists already and belongs to something else; whoever may deletes it`);
  const said = live.spec.messages ?? [];
  const knows = annotations[STARTED_BY] === act.key || said.some(({ id }) => id === `github-${act.key}`);
  if (knows || act.said === '') return { kind: 'unchanged', session: live };
  if (!samePerson(live.spec.requester, asked.spec.requester))
    return refused(
      `Session "${name}" acts for ${live.spec.requester?.username ?? 'nobody'}, who alone tells it more from here; others take it over: tiny send ${name} --take-over`,
    );
  if (said.length >= MAX_MESSAGES)
    return refused(`Session "${name}" has had ${MAX_MESSAGES} messages, and no more fit`);
  return undefined;
}

interface Message {
  id: string;
  text: string;
  /** When it was said: a delivery may come days later, and renews nothing by that. */
  at: string;
}

/** Under the condition that the Session is still as it was read. */
function append({ metadata, spec }: Stored<Session>, { at, ...message }: Message, asked: AskedSession) {
  const set = (path: string, value: unknown) => ({ op: 'add' as const, path, value });
  return {
    type: 'json' as const,
    body: [
      { op: 'replace' as const, path: '/metadata/resourceVersion', value: metadata.resourceVersion },
      set('/spec/messages', [...(spec.messages ?? []), message]),
      ...(Date.parse(at) > Date.parse(spec.touched ?? '1970-01-01') ? [set('/spec/touched', at)] : []),
      set('/spec/requester', asked.spec.requester),
      // A repository may have another name by now, and the comment is written where the issue is.
      set(`/metadata/annotations/${ISSUE.replace('/', '~1')}`, asked.metadata.annotations?.[ISSUE]),
    ],
  };
}
