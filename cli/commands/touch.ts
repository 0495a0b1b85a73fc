/**
 * `tiny touch`: says that a Session is to go on, in the name of whoever says it. It renews an aged stamp, takes over
 * a Session of somebody who left, and makes up for an event that was lost.
 */
import { toTimestamp } from '../../lib/api/conditions.ts';
import type { Define } from '../define.ts';
import { changeEach } from '../session/change.ts';

export const define: Define = (command, app) =>
  command
    .argument('<sessions...>', 'names of Sessions')
    .addHelpText('after', `\nExamples:\n  ${app.program} touch refactor`)
    .action((names: string[]) =>
      changeEach(app, names, {
        verb: 'touched',
        change: () => [{ op: 'add', path: '/spec/touched', value: toTimestamp(app.now()) }],
      }),
    );
