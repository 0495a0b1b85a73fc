/**
 * `tiny touch`: says that a Session is to go on, in the name of whoever says it. It renews an aged stamp, takes over
 * a Session of somebody who left, and makes up for an event that was lost; so it does for a Question's answer.
 */
import { toTimestamp } from '../../lib/api/conditions.ts';
import { samePerson } from '../../lib/identity/person.ts';
import { QUESTIONS } from '../../lib/kube/types.ts';
import type { App } from '../app.ts';
import type { Define } from '../define.ts';
import { settleQuestion } from '../direct.ts';
import { whoAmI } from '../identity.ts';
import { objectName } from '../output/document.ts';
import { changeEach, eachOf } from '../session/change.ts';
import { find } from '../session/find.ts';

export const define: Define = (command, app) =>
  command
    .argument('<names...>', 'names of Sessions, or question/NAME')
    .addHelpText(
      'after',
      `\nExamples:\n  ${app.program} touch refactor\n  ${app.program} touch question/refactor-0123456789`,
    )
    .action((names: string[]) =>
      eachOf(app, names, (name) =>
        /^questions?(\.tiny\.dev)?\//.test(name) ? touchQuestion(app, name) : touchSession(app, name),
      ),
    );

const touchSession = (app: App, name: string): Promise<void> =>
  changeEach(app, [name], {
    verb: 'touched',
    change: () => [{ op: 'add', path: '/spec/touched', value: toTimestamp(app.now()) }],
  });

/** An annotation, for of a Question's spec nothing can be changed: who acts stays the answerer. */
async function touchQuestion(app: App, name: string): Promise<void> {
  const { client, namespace } = await app.cluster();
  const { metadata, spec } = await find(client, { type: QUESTIONS, namespace, name });
  const body = { metadata: { uid: metadata.uid, annotations: { 'tiny.dev/touched': toTimestamp(app.now()) } } };
  const ref = { namespace, name: metadata.name };
  const touched = await client.patch(QUESTIONS, ref, { type: 'merge', body });
  app.print(`${objectName(touched)}${app.flags.output === 'name' ? '' : ' touched'}\n`);
  if (samePerson(spec.answer?.by, await whoAmI(client))) await settleQuestion(app, ref);
}
