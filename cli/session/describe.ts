/** One Session told to a person, all of it: `tiny show`. Pure; everything from the cluster is made harmless. */

import { age } from '../../lib/age.ts';
import type { Condition, Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import type { Session } from '../../lib/api/session.ts';
import { quote } from '../output/quote.ts';
import { safeLine } from '../output/safe.ts';
import { paintState, type Style } from '../output/style.ts';
import { type Column, fields, table } from '../output/table.ts';
import { describeQuestion } from '../question/describe.ts';
import type { KubeEvent } from './events.ts';
import { sessionMessage, sessionState } from './state.ts';
import { budgetWords, costWords, planWords, tokenWords } from './use.ts';

/** A Session with what belongs to it, as it was read. */
export interface Whole {
  session: Stored<Session>;
  /** The open ones. */
  questions: readonly Stored<Question>[];
  children: readonly Stored<Session>[];
  /** Oldest first. */
  events: readonly KubeEvent[];
  /** What keeps its pod from running. */
  trouble?: string | undefined;
}

/** How to tell it. */
export interface Telling {
  now: Date;
  style: Style;
  /** `tiny` or `kubectl tiny`, for commands to copy. */
  program: string;
  /** Of the terminal; absent elsewhere, where lines stay whole. */
  columns?: number;
}

const indent = (text: string): string => text.replace(/^(?=.)/gm, '  ');
const section = (title: string, body: string): string =>
  body ? `${title}:\n${indent(body.replace(/\n?$/, '\n'))}` : '';
const join = (...parts: (string | number | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== '').join(' ');

function head({ session, trouble }: Whole, { now, style }: Telling): string {
  const { metadata, spec } = session;
  const { requester, agent, repository } = spec;
  return fields([
    ['Name', metadata.name],
    ['Namespace', metadata.namespace],
    ['State', paintState(style, safeLine(sessionState(session)))],
    ['Message', safeLine(sessionMessage(session))],
    ['Pod', trouble],
    ['Requester', safeLine(requester?.username ?? '<nobody>')],
    ['Parent', spec.parent && safeLine(spec.parent)],
    ['Agent', agentWords(agent)],
    ...repositoryRows(repository),
    ['Plan', planWords(session)],
    ['Budget', budgetWords(session)],
    ['Allowed', safeLine(unasked(spec.approvals).join(', ')) || 'nothing unasked'],
    [
      'Created',
      metadata.creationTimestamp && `${metadata.creationTimestamp} (${age(metadata.creationTimestamp, now)} ago)`,
    ],
    ['Deadline', spec.deadline && `${safeLine(spec.deadline)} after that`],
    ['Sleeps', spec.idle.suspendAfter && `after waiting for ${safeLine(spec.idle.suspendAfter)}`],
  ]);
}

const agentWords = ({ name, model, mode, baseUrl }: Session['spec']['agent']): string =>
  safeLine(join(name, model && `(${model})`, mode && `in mode ${mode}`, baseUrl && `at ${baseUrl}`));

type Row = [string, string | undefined];

const repositoryRows = (repository: Session['spec']['repository']): Row[] =>
  repository
    ? [
        ['Repository', safeLine(join(repository.url, repository.ref && `at ${repository.ref}`))],
        ['Pushes', repository.push && pushWords(repository.push)],
      ]
    : [];

type Push = NonNullable<NonNullable<Session['spec']['repository']>['push']>;

function pushWords({ credentialsSecret, unasked: isUnasked, pullRequests }: Push): string {
  const how = `with Secret ${credentialsSecret}, ${isUnasked ? 'unasked' : 'after a yes'}`;
  return safeLine(pullRequests ? `${how}; opens pull requests at ${pullRequests.api ?? pullRequests.provider}` : how);
}

/** Kinds, and commands in quotes. */
const unasked = ({ allow, commands = [] }: Session['spec']['approvals']): string[] => [
  ...allow,
  ...commands.map((command) => `"${command}"`),
];

const conditionColumns = (now: Date): Column<Condition>[] => [
  { heading: 'TYPE', cell: ({ type }) => type },
  { heading: 'STATUS', cell: ({ status }) => status },
  { heading: 'REASON', cell: ({ reason }) => reason },
  { heading: 'AGE', cell: ({ lastTransitionTime }) => age(lastTransitionTime, now) },
  { heading: 'MESSAGE', cell: ({ message }) => message },
];

const childColumns = (now: Date): Column<Stored<Session>>[] => [
  { heading: 'NAME', cell: ({ metadata }) => metadata.name },
  { heading: 'STATE', cell: sessionState },
  { heading: 'REQUESTER', cell: ({ spec }) => spec.requester?.username },
  { heading: 'AGE', cell: ({ metadata }) => age(metadata.creationTimestamp, now) },
];

const eventColumns = (now: Date): Column<KubeEvent>[] => [
  { heading: 'AGE', cell: ({ at }) => age(at, now) },
  { heading: 'TYPE', cell: ({ type }) => type },
  { heading: 'REASON', cell: ({ reason }) => reason },
  { heading: 'MESSAGE', cell: ({ message }) => message },
];

const rows = <Row>(columns: Column<Row>[], items: readonly Row[]): string =>
  items.length ? table(columns, items) : '';

function result({ status = {} }: Session): string {
  const { summary, branch, commit, commits, filesChanged, pushed, pullRequest } = status.result ?? {};
  return fields([
    ['Summary', summary && quote(summary)],
    ['Branch', safeLine(branch ?? '')],
    ['Commit', safeLine(commit ?? '')],
    ['Commits', commits?.toString()],
    ['Files changed', filesChanged?.toString()],
    ['Pushed', pushed && safeLine(`${pushed.commit} to ${pushed.branch}`)],
    ['Pull request', safeLine(pullRequest ?? '')],
    ['Tokens', tokenWords(status.usage)],
    ['Cost', costWords(status.usage)],
    ['Turns', status.usage?.turns ? `${status.usage.turns}` : undefined],
  ]);
}

function messages({ spec, status }: Session, columns: number | undefined): string {
  const read = status?.messagesRead ?? 0;
  return (spec.messages ?? [])
    .map(({ id, text }, index) => `${safeLine(id)}${index < read ? '' : ' (not read yet)'}:\n${quote(text, columns)}`)
    .join('\n');
}

/** The whole as text. */
export function describeSession(whole: Whole, telling: Telling): string {
  const { session, questions, children, events } = whole;
  const { now, columns } = telling;
  const width = columns && columns - 2;
  return [
    head(whole, telling),
    section('Prompt', quote(session.spec.prompt, width)),
    section('Messages', messages(session, width)),
    section('Open questions', questions.map((question) => describeQuestion(question, telling)).join('\n')),
    section('Children', rows(childColumns(now), children)),
    section('Result', result(session)),
    section('Conditions', rows(conditionColumns(now), session.status?.conditions ?? [])),
    section('Events', rows(eventColumns(now), events)),
  ].join('');
}
