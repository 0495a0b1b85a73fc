/**
 * What a Session says on its issue: where it is, what it waits for, what came of it. An agent's words stand in code blocks,
 * where they notify nobody and look like nothing else; of a public repository they stay away, since a tool call or a question
 * may hold what is not everybody's. Pure.
 */
import { findCondition } from '../api/conditions.ts';
import type { Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import type { Session } from '../api/session.ts';
import { fenced, shortened, visible } from './text.ts';

export interface Reply {
  session: Stored<Session>;
  /** The open ones. */
  questions: Stored<Question>[];
  /** Whether only members read along. */
  isPrivate: boolean;
}

const MAX_TEXT = 2_000;
/** Questions that are told in words; of more, the number. */
const MAX_QUESTIONS = 8;

const words = (text: string): string => fenced(shortened(visible(text), MAX_TEXT));

/** Names of people may be addresses of theirs: nobody is notified by one, or linked, and not everybody is told one. */
const name = (text: string): string => `\`${visible(text).replaceAll(/[`\n]/g, '')}\``;

function heading({ session: { metadata, spec, status }, isPrivate }: Reply): string {
  const ready = findCondition({ status } as Session, 'Ready');
  const materialised = findCondition({ status } as Session, 'Materialised');
  const state = ready?.reason ?? 'New';
  const trouble = materialised?.status === 'False' ? `\n\nIt could not be started: ${name(materialised.reason)}` : '';
  const whose = isPrivate ? ` for ${name(spec.requester?.username ?? 'nobody')}` : '';
  return `**Session ${name(metadata.name)}** in ${name(metadata.namespace ?? '')}${whose}: **${state}**${trouble}`;
}

function asked({ session, questions, isPrivate }: Reply): string[] {
  if (!questions.length) return [];
  const { namespace = '' } = session.metadata;
  const each = questions.slice(0, MAX_QUESTIONS).map(({ metadata, spec }) => {
    const command = `tiny show question/${metadata.name}@${metadata.uid.slice(0, 8)} -n ${namespace}`;
    return [`* ${spec.kind}: \`${command}\``, ...(isPrivate ? [words(spec.text)] : [])].join('\n');
  });
  const more = questions.length - each.length;
  return [`Waits for an answer:\n\n${each.join('\n')}${more ? `\n* and ${more} more` : ''}`];
}

type Result = NonNullable<NonNullable<Session['status']>['result']>;

/** What can be looked at: the branch, and the pull request as the pod names it, which is no link for that. */
function work({ branch, commits = 0, filesChanged, pullRequest }: Result): string {
  const files = filesChanged === undefined ? '' : `, ${filesChanged} files changed`;
  const on = branch ? `: branch ${name(branch)}, ${commits} commits${files}` : '';
  return on + (pullRequest ? `; pull request ${name(pullRequest)}` : '');
}

function result({ session, isPrivate }: Reply): string[] {
  const finished = findCondition(session, 'Finished');
  if (finished?.status !== 'True') return [];
  const { result: of = {} } = session.status ?? {};
  const how = finished.reason === 'Completed' ? 'Done' : `Ended: ${finished.reason}`;
  const said = of.summary || finished.message;
  return [`${how}${work(of)}.`, ...(isPrivate && said ? [words(said)] : [])];
}

const ABOUT =
  '<sub>It works from the text as it was when it was asked; later edits, and comments of others, it does not read. Whoever asked tells it more in a comment that begins with /tiny.</sub>';

/** The comment, without its mark. */
export function replyOf(reply: Reply): string {
  const { session, isPrivate } = reply;
  const line = session.status?.message;
  return [heading(reply), ...(isPrivate && line ? [words(line)] : []), ...asked(reply), ...result(reply), ABOUT].join(
    '\n\n',
  );
}
