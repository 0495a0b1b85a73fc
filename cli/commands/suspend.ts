/** `tiny suspend`: a Session's workload goes to zero; its volume, and so the conversation, stays. */
import type { Define } from '../define.ts';
import { changeEach } from '../session/change.ts';

export const define: Define = (command, app) =>
  command
    .argument('<sessions...>', 'names of Sessions')
    .addHelpText('after', `\nExamples:\n  ${app.program} suspend refactor`)
    .action((names: string[]) =>
      changeEach(app, names, {
        verb: 'suspended',
        change: ({ metadata, spec }) =>
          spec.suspend
            ? `Session ${metadata.name} is suspended already.`
            : [{ op: 'add', path: '/spec/suspend', value: true }],
      }),
    );
