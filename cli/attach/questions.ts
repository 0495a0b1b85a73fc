/** The open Questions of a Session as they come and go, for whoever sits at the terminal. */
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { isForbidden } from '../../lib/kube/errors.ts';
import { QUESTIONS } from '../../lib/kube/types.ts';
import { decide } from '../../lib/question/decision.ts';
import type { App } from '../app.ts';
import { safeLine } from '../output/safe.ts';
import { terminal } from '../output/width.ts';
import { told } from '../question/choice.ts';
import { describeQuestion } from '../question/describe.ts';

/** Those that wait, oldest first; the first one is asked. */
export interface Waiting {
  first(): Stored<Question> | undefined;
  /** It is answered, or being answered. */
  done(question: Stored<Question>): void;
}

/** The Question whole, and how it is answered here. */
export function shown(app: App, question: Stored<Question>): string {
  const { style, program } = app;
  const telling = { now: app.now(), style, program, asking: true, ...terminal(app.io.stdout) };
  const options = question.spec.options ?? [];
  const words = options.map(({ id, effect }) => (effect ? `${safeLine(id)} [${effect}]` : safeLine(id)));
  const how = words.length ? `Type one of: ${words.join(', ')}.` : 'Type the answer.';
  return `${describeQuestion(question, telling).trimEnd()}\n${how} /say TEXT sends a message instead.\n`;
}

/** Follows the Questions of the Session called `name` until `signal` aborts; `changed` is told when another one is first. */
export function watchQuestions(app: App, name: string, changed: () => void): Waiting {
  const open = new Map<string, Stored<Question>>();
  const drop = (question: Stored<Question>) => {
    if (!open.delete(question.metadata.uid)) return;
    const { answer } = question.spec;
    const by = safeLine(answer?.by?.username ?? 'somebody');
    app.note(`? ${question.metadata.name}: ${answer ? `${by} answered ${told(answer)}` : 'no longer open'}`);
    changed();
  };
  const add = (question: Stored<Question>) => {
    if (open.has(question.metadata.uid)) return;
    open.set(question.metadata.uid, question);
    if (open.size === 1) changed();
  };
  const isOpen = (question: Stored<Question>) => decide(question, app.now()).state === 'open';
  void follow(app, (question, isGone) => {
    if (question.spec.session === name) (!isGone && isOpen(question) ? add : drop)(question);
  });
  return {
    first: () => [...open.values()].find(isOpen),
    done({ metadata }) {
      open.delete(metadata.uid);
      changed();
    },
  };
}

async function follow(app: App, take: (question: Stored<Question>, isGone: boolean) => void): Promise<void> {
  const { client, namespace } = await app.cluster();
  try {
    for await (const { type, object } of client.watch(QUESTIONS, { namespace, signal: app.signal }))
      take(object, type === 'DELETED');
  } catch (error) {
    if (app.signal.aborted) return;
    const why = isForbidden(error) ? 'you may not watch Questions here' : (error as Error).message;
    app.note(`- Questions are not shown: ${why}`);
  }
}
