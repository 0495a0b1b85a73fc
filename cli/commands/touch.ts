/**
 * `tiny touch`: says that a Session is to go on, in the name of whoever says it. It renews an aged stamp, takes over
 * a Session of somebody who left, and makes up for an event that was lost; so it does for a Question's answer.
 */
import { toTimestamp } from '../../lib/api/conditions.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Question } from '../../lib/api/question.ts';
import { samePerson } from '../../lib/identity/person.ts';
import { objectPath } from '../../lib/kube/path.ts';
import { QUESTIONS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { settleQuestion } from '../direct.ts';
import { whoAmI } from '../identity.ts';
import { addOwnershipFlags, changeEach, eachOf, printDone } from '../session/change.ts';
import { find } from '../session/find.ts';
import type { Ownership } from '../session/take-over.ts';

export const define: Define = (command, app) =>
  addOwnershipFlags(command)
    .argument('<names...>', 'names of Sessions, or question/NAME')
    .addHelpText(
      'after',
      `\nExamples:\n  ${app.program} touch refactor\n  ${app.program} touch question/refactor-0123456789\n  ${app.program} touch --take-over refactor      have somebody else's act for you`,
    )
    .action((names: string[], ownership: Ownership) =>
      eachOf(app, names, (name) =>
        /^questions?(\.tiny\.dev)?\//.test(name) ? touchQuestion(app, name) : touchSession(app, name, ownership),
      ),
    );

const touchSession = (app: App, name: string, ownership: Ownership): Promise<void> =>
  changeEach(app, [name], {
    ...ownership,
    verb: 'touched',
    // Every change touches.
    change: () => [],
  });

/**
 * Not the manager that sets answers: when an answer came is when the manager that owns it wrote last
 * (lib/question/decision.ts), and a touch must not make it look later.
 */
const TOUCH_MANAGER = 'tiny-touch';

/** An annotation, for of a Question's spec nothing can be changed: who acts stays the answerer. */
async function touchQuestion(app: App, name: string): Promise<void> {
  const { client, namespace } = await app.cluster();
  const { metadata, spec } = await find(client, { type: QUESTIONS, namespace, name });
  const body = { metadata: { uid: metadata.uid, annotations: { 'tiny.dev/touched': toTimestamp(app.now()) } } };
  const ref = { namespace, name: metadata.name };
  const path = `${objectPath(QUESTIONS, ref)}?fieldManager=${TOUCH_MANAGER}`;
  await printDone(app, await client.request<Stored<Question>>('PATCH', path, body), 'touched');
  const me = await whoAmI(client);
  if (me && samePerson(spec.answer?.by, me)) await settleQuestion(app, ref);
}
