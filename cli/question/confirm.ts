/** Nobody says yes unread: on a terminal the whole Question stands there before it is answered. */
import type { Person, Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import type { App } from '../app.ts';
import { askYes, canAsk } from '../ask.ts';
import { safeLine } from '../output/safe.ts';
import { terminal } from '../output/width.ts';
import { type Choice, isAct } from './choice.ts';
import { describeQuestion } from './describe.ts';
import type { View } from './view.ts';

/**
 * Shows what would be done, and goes on after a yes. Where nobody can be asked it goes on, too: a Question is named
 * there, which is a deliberate act, and `tiny y` sees to that.
 */
export async function confirm(
  app: App,
  question: Stored<Question>,
  { choice, by, view }: { choice: Choice; by: Person | undefined; view?: View | undefined },
): Promise<void> {
  if (!canAsk(app) || !isAct(question, choice)) return;
  const { style, program } = app;
  const telling = { now: app.now(), style, program, asking: true, view, ...terminal(app.io.stderr) };
  app.note(describeQuestion(question, telling).trimEnd());
  const effect = question.spec.options?.find(({ id }) => id === choice.option)?.effect;
  const lasting = effect === 'AllowAlways' ? ', now and whenever exactly this is asked for in its Session,' : '';
  await askYes(app, `Do this${lasting} as ${safeLine(by?.username ?? 'you')}?`);
}
