/** What a person is asked before a push: all that they need to decide, and exactly what is done on yes. Pure. */
import type { QuestionSpec } from '../../lib/api/question.ts';
import { cut } from '../cut.ts';
import type { Prepared } from '../push/push.ts';

export interface PullRequest {
  title: string;
  body: string;
  /** The branch that it is to be merged into. */
  base: string;
  draft: boolean;
}

export interface PushInquiry {
  session: string;
  url: string;
  prepared: Prepared;
  /** To be opened once it is pushed. */
  pullRequest?: PullRequest | undefined;
}

const SHORT = 12;
/** Words of the agent in the middle of ours: a line of its own would pass for one of ours. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
const MAX_LIST = 20;
const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

function listed({ commits, count: all }: Prepared['work']): string {
  const lines = commits
    .slice(0, MAX_LIST)
    .map(({ id, subject }) => `  ${id.slice(0, SHORT)} ${cut(oneLine(subject), 200)}`);
  return [...lines, ...(all > lines.length ? [`  … and ${all - lines.length} more`] : [])].join('\n');
}

/** Their contents are shown all the same: the difference is the one to the branch. */
const warning = (foreign: readonly string[]): string =>
  `Careful: it stands on commits that are on no branch that this Session was given, and brings them and what they stand on along: ${foreign
    .slice(0, 5)
    .map((id) => id.slice(0, SHORT))
    .join(', ')}. What is shown is the difference to the branch as it is on the remote now.`;

/** What is pushed and does not stand in the difference, or not here. */
function unshown({ diff, history }: Prepared['work']): string[] {
  if (diff === undefined) return ['', 'The difference is too long to be shown whole; it can be read in the Session.'];
  if (history === '') return [];
  const where =
    history === undefined ? 'it is too long to be shown' : 'it is shown commit by commit below the difference';
  return ['', `Careful: the commits hold more than stands at their end, and all of it is pushed; ${where}.`];
}

const commitByCommit = ({ diff, history }: Prepared['work']): string[] =>
  diff !== undefined && history ? [`\nCommit by commit, since that is more than the difference:\n\n${history}`] : [];

/** What makes two askings the same: the commit, where it goes, and what it replaces there. */
export const contentOf = ({ url, prepared: { work, target }, pullRequest }: PushInquiry): unknown => [
  'push',
  url,
  target.branch,
  work.head,
  target.rewrites ? target.replaces : '',
  pullRequest,
];

/** The Question. */
export function pushQuestion(inquiry: PushInquiry): QuestionSpec {
  const { session, url, prepared, pullRequest } = inquiry;
  const { work, target } = prepared;
  const over = target.rewrites ? `, in place of ${target.replaces?.slice(0, SHORT)} that it pushed before` : '';
  const opened = pullRequest
    ? ` and open a pull request into ${pullRequest.base}, "${oneLine(pullRequest.title)}"`
    : '';
  const asked = `May the agent of Session ${session} push ${count(work.count, 'commit')} to the branch ${target.branch} of ${url}${over}${opened}?`;
  const warned = work.foreign.length === 0 ? [] : ['', warning(work.foreign)];
  return {
    session,
    kind: 'Permit',
    text: cut([asked, ...warned, ...unshown(work), '', listed(work), '', work.stat].join('\n'), 16_384).toWellFormed(),
    options: [
      { id: 'allow', text: pullRequest ? 'Push and open it' : 'Push it', effect: 'Allow' },
      { id: 'deny', text: 'No', effect: 'Deny' },
    ],
    toolCall: {
      id: work.head,
      title: cut(`git push ${url} ${work.head.slice(0, SHORT)}:${target.branch}`, 1024),
      kind: 'other',
      input: inputOf(inquiry),
      ...(work.diff || work.history ? { diff: [work.diff, ...commitByCommit(work)].join('') } : {}),
    },
  };
}

/** The longest input that a Question holds, in characters; a title and a body have limits of their own. */
const MAX_INPUT = 65_536;

function inputOf({ url, prepared: { work, target }, pullRequest }: PushInquiry): string {
  const what = { remote: url, branch: target.branch, commit: work.head, replaces: target.replaces };
  const whole = JSON.stringify({ ...what, commits: work.commits, pullRequest });
  return whole.length <= MAX_INPUT ? whole : JSON.stringify({ ...what, pullRequest });
}
