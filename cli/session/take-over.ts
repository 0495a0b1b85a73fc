/**
 * A Session acts for whoever wrote its spec last. So a change to somebody else's would have all that they wrote, its
 * commands, images and credentials, run with the rights of whoever made the change: that is refused, unless they say
 * that they want it, having seen what it is.
 */
import type { Person, Stored } from '../../lib/api/meta.ts';
import type { Session, SessionSpec } from '../../lib/api/session.ts';
import { samePerson } from '../../lib/identity/person.ts';
import type { App } from '../app.ts';
import { askYes } from '../ask.ts';
import { Failure } from '../failure.ts';
import { quote } from '../output/quote.ts';
import { safeLine } from '../output/safe.ts';
import { terminal } from '../output/width.ts';

/** What a person says about other people's Sessions. */
export interface Ownership {
  takeOver?: boolean;
  yes?: boolean;
}

/** Whether a Session acts for `me` already. Of an unstamped one, or of one's own name untold, nobody knows. */
const isMine = ({ spec }: Session, me: Person | undefined): boolean =>
  me !== undefined && spec.requester !== undefined && samePerson(spec.requester, me);

/** Whom a Session acts for, in words. */
export const ownerOf = ({ spec }: Session): string => safeLine(spec.requester?.username ?? 'nobody');

const list = (items: readonly string[] | undefined): string | undefined => items?.join(', ');

const pushes = (repository: SessionSpec['repository']): string | undefined => {
  const { push } = repository ?? {};
  return push && (push.unasked ? `${push.credentialsSecret}, unasked` : push.credentialsSecret);
};

/** Field by field what runs as the requester, whole, though of a variable only its name. */
function acts(spec: SessionSpec): [title: string, value: string | undefined][] {
  const { agent, repository, credentials, network, storage, approvals } = spec;
  const egress = network?.egress?.map(({ cidr, ports }) => (ports ? `${cidr} (ports ${ports.join(', ')})` : cidr));
  const { kind, name } = storage.dataSource ?? {};
  return [
    ['agent', agent.name],
    ['image', agent.image],
    ['command', agent.command && JSON.stringify(agent.command)],
    ['args', agent.args && JSON.stringify(agent.args)],
    ['env', list(agent.env?.map((variable) => variable.name))],
    ['credentials', list(credentials?.map(({ secret }) => secret))],
    [
      'approvals, unasked',
      list([...approvals.allow, ...(approvals.commands ?? []).map((one) => `"${one}"`)]) || 'none',
    ],
    ['network egress', list(egress)],
    ['data source', kind && `${kind}/${name}`],
    ['repository', repository && [repository.url, repository.ref].filter(Boolean).join(' at ')],
    ['repository credentials', repository?.credentialsSecret],
    ['pushes with', pushes(repository)],
    ['messages', list(spec.messages?.map(({ text }) => text))],
    ['prompt', spec.prompt],
  ];
}

/** All that would run, as text: the fields are the owner's words, and marked so. */
function describeTakeOver(session: Stored<Session>, columns?: number): string {
  const fields = acts(session.spec).flatMap(([title, value]) => (value ? [`${title}: ${value}`] : []));
  return [
    `Session "${session.metadata.name}" acts for ${ownerOf(session)}. As you it would run:`,
    quote(fields.join('\n'), columns),
  ].join('\n');
}

const refused = (session: Stored<Session>, me: Person | undefined): Failure => {
  const { name } = session.metadata;
  const whose = me
    ? `acts for ${ownerOf(session)}, not for you`
    : 'may act for another: the cluster does not say who you are';
  return new Failure(
    `Session "${name}" ${whose}, and whoever changes it has it act for them`,
    'Nothing was changed. All that is in it would run with your rights: look at it first.',
    `\`tiny touch --take-over ${name}\` shows what that is, and asks. suspend, resume and send take --take-over, too.`,
  );
};

/** Makes the check for one change. What was said yes to once is not asked for again while it stays the same. */
export function makeOwnershipCheck(app: App, { takeOver, yes }: Ownership) {
  let seen: string | undefined;
  const take = async (shown: string, me: Person | undefined) => {
    app.note(shown);
    if (!yes) await askYes(app, `Take it over, to run as ${safeLine(me?.username ?? 'you')}?`);
  };
  return async (session: Stored<Session>, me: Person | undefined): Promise<void> => {
    if (isMine(session, me)) return;
    if (!takeOver) throw refused(session, me);
    const shown = describeTakeOver(session, terminal(app.io.stderr).columns);
    if (shown !== seen) await take(shown, me);
    seen = shown;
  };
}
