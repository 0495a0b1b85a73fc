/** The columns of `tiny questions`, and a Question's state in one word. Pure. */

import { age, until } from '../../lib/age.ts';
import { findCondition } from '../../lib/api/conditions.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { type Decision, decide, WITHDRAWN } from '../../lib/question/decision.ts';
import { paintState, type Style } from '../output/style.ts';
import type { Column } from '../output/table.ts';
import { reference } from './reference.ts';

type Row = Stored<Question>;

const WORDS: Record<Decision['state'], string> = { open: 'Open', answered: 'Answered', expired: 'Expired' };

/** `Open`, `Expired`, `Withdrawn`, what came of the answer, or why nothing could come of it. */
export function questionState(question: Row, now: Date): string {
  const { state } = decide(question, now);
  const acted = findCondition(question, 'Acted');
  return acted && (state === 'answered' || acted.reason === WITHDRAWN) ? acted.reason : WORDS[state];
}

const answerer = ({ spec }: Row): string | undefined => spec.answer?.by?.username;
const options = ({ spec }: Row): string => spec.options?.map(({ id }) => id).join(',') ?? '<text>';

export const questionColumns = (now: Date, style: Style): Column<Row>[] => [
  { heading: 'NAME', cell: reference },
  { heading: 'SESSION', cell: ({ spec }) => spec.session },
  { heading: 'KIND', cell: ({ spec }) => spec.kind },
  { heading: 'STATE', cell: (row) => questionState(row, now), paint: (text) => paintState(style, text) },
  { heading: 'OPTIONS', cell: options },
  { heading: 'AGE', cell: ({ metadata }) => age(metadata.creationTimestamp, now) },
  { heading: 'EXPIRES', cell: ({ spec }) => (spec.expiresAt ? until(spec.expiresAt, now) : 'never'), wide: true },
  { heading: 'ANSWERER', cell: answerer, wide: true },
  { heading: 'TEXT', cell: ({ spec }) => spec.text.slice(0, 400), shrink: true },
];
