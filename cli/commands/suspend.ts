/** `tiny suspend`: a Session's workload goes to zero; its volume, and so the conversation, stays. */
import type { Define } from '../define.ts';
import { addOwnershipFlags, changeEach } from '../session/change.ts';
import type { Ownership } from '../session/take-over.ts';

export const define: Define = (command, app) =>
  addOwnershipFlags(command)
    .argument('<sessions...>', 'names of Sessions')
    .addHelpText('after', `\nExamples:\n  ${app.program} suspend refactor`)
    .action((names: string[], ownership: Ownership) =>
      changeEach(app, names, {
        ...ownership,
        verb: 'suspended',
        change: ({ metadata, spec }) =>
          spec.suspend
            ? `Session ${metadata.name} is suspended already.`
            : [{ op: 'add', path: '/spec/suspend', value: true }],
      }),
    );
