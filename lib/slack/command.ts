/**
 * The slash command: `/tiny new`, `ls`, `show`, `help`. In the project of the channel where it is typed, as who has typed it;
 * what is answered, they alone see.
 */
import type { Person } from '../api/meta.ts';
import type { Project, Projects } from '../intake/projects.ts';
import { projectOf } from '../intake/projects.ts';
import { startSession } from '../intake/start.ts';
import { isForbidden, isNotFound } from '../kube/errors.ts';
import { type Client, SESSIONS } from '../kube/types.ts';
import type { SlackOptions } from './answer.ts';
import { personOf } from './people.ts';
import type { User } from './request.ts';
import { sessionLine, sessionText } from './sessions.ts';
import { escaped, fenced, LIMIT } from './text.ts';

export interface CommandOptions extends SlackOptions {
  projects: () => Projects;
}

export interface Commanded {
  by: User;
  channel: string;
  text: string;
  /** Slack's own name of this one command: the same when it is sent again. */
  trigger: string;
}

const HELP = [
  '`/tiny new WHAT TO DO` starts a Session in the project of this channel',
  "`/tiny ls` lists the project's Sessions",
  '`/tiny show NAME` tells about one',
].join('\n');

/** What a command has to work with. */
interface Acting {
  client: Client;
  person: Person;
  project: Project;
  commanded: Commanded;
  now: Date;
  own: Client;
}

type Run = (acting: Acting, rest: string) => Promise<string>;

/** Most Sessions that are listed: what fits into one message. */
const LISTED = 25;

const start: Run = async ({ own, person, project, commanded }, prompt) => {
  if (!prompt) return 'What is it to do? `/tiny new WHAT TO DO`';
  const { namespace, session: defaults = {} } = project;
  const key = `slack\n${commanded.by.team}\n${commanded.trigger}`;
  const started = await startSession(own, { namespace, key, prompt, defaults, person });
  if (started.kind === 'refused') return `Nothing was started: ${escaped(started.message)}`;
  const { name } = started.session.metadata;
  return `Session \`${name}\` is started in \`${namespace}\` as ${escaped(person.username)}. \`/tiny show ${name}\` tells how it goes.`;
};

const ls: Run = async ({ client, project: { namespace }, now }) => {
  const { items } = await client.list(SESSIONS, { namespace });
  if (!items.length) return `There is no Session in \`${namespace}\`.`;
  const newest = items.sort((a, b) =>
    (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? 1 : -1,
  );
  const lines = newest.slice(0, LISTED).map((session) => sessionLine(session, now));
  const more = items.length > LISTED ? `\n${items.length - LISTED} more: \`tiny ls -n ${namespace}\`` : '';
  return fenced(lines.join('\n'), LIMIT.section).text + more;
};

const show: Run = async ({ client, project: { namespace }, now }, name) => {
  if (!/^[a-z0-9]([-a-z0-9]{0,62})$/.test(name)) return 'Which one? `/tiny show NAME`';
  const session = await client.get(SESSIONS, { namespace, name });
  if (!session) return `There is no Session \`${name}\` in \`${namespace}\`.`;
  return fenced(sessionText(session, now), LIMIT.section).text;
};

const COMMANDS: Record<string, Run> = { new: start, ls, show };

/** Runs it; gives what is to be said, as mrkdwn. Throws what passes by itself. */
export async function runCommand(commanded: Commanded, options: CommandOptions): Promise<string> {
  const [, word = '', rest = ''] = /^(\S*)\s*([\s\S]*)$/.exec(commanded.text) ?? [];
  const run = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (!run) return HELP;
  const who = await personOf(commanded.by, options.identities(), options.api);
  if ('refusal' in who) return `Nothing was done: ${escaped(who.message)}`;
  const where = `${commanded.by.team}/${commanded.channel}`;
  const project = projectOf(options.projects(), 'slack', where);
  if (!project)
    return `This channel works in no project. Ask whoever runs the cluster to add \`${where}\` to ConfigMap tiny-intake.`;
  const { person } = who;
  const acting = {
    client: options.client.as(person),
    own: options.client,
    person,
    project,
    commanded,
    now: options.now(),
  };
  return await run(acting, rest.trim()).catch(inWords);
}

const inWords = (error: unknown): string => {
  if (isForbidden(error) || isNotFound(error)) return `Nothing was done: ${escaped(error.message)}`;
  throw error;
};
