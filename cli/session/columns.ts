/** The columns of `tiny ls`. */

import { age } from '../../lib/age.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { safeLine } from '../output/safe.ts';
import { paintState, type Style } from '../output/style.ts';
import type { Column } from '../output/table.ts';
import { truncate } from '../output/width.ts';
import { sessionMessage, sessionState } from './state.ts';
import { costWords, short, tokensUsed } from './use.ts';

type Row = Stored<Session>;

const countOf = (tokens: number | undefined) => (tokens === undefined ? undefined : short(tokens));

/** Columns of Sessions at `now`; wide ones say where the work is and what was asked. */
export const sessionColumns = (now: Date, style: Style): Column<Row>[] => [
  { heading: 'NAME', cell: ({ metadata }) => metadata.name },
  { heading: 'STATE', cell: sessionState, paint: (text) => paintState(style, text) },
  { heading: 'AGENT', cell: ({ spec }) => spec.agent.name },
  { heading: 'REQUESTER', cell: ({ spec }) => spec.requester?.username },
  { heading: 'AGE', cell: ({ metadata }) => age(metadata.creationTimestamp, now) },
  { heading: 'PARENT', cell: ({ spec }) => spec.parent, wide: true },
  { heading: 'REPOSITORY', cell: ({ spec }) => spec.repository?.url, wide: true },
  {
    heading: 'PLAN',
    cell: ({ status }) => (status?.plan?.total ? `${status.plan.done}/${status.plan.total}` : undefined),
    wide: true,
  },
  { heading: 'TOKENS', cell: ({ status }) => countOf(tokensUsed(status?.usage)), wide: true },
  { heading: 'COST', cell: ({ status }) => costWords(status?.usage), wide: true },
  { heading: 'PROMPT', cell: ({ spec }) => truncate(safeLine(spec.prompt), 40), wide: true },
  { heading: 'MESSAGE', cell: sessionMessage, shrink: true },
];
