/** `tiny resume`: a suspended Session goes on where it was. */
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import type { Define } from '../define.ts';
import { addOwnershipFlags, type Change, changeEach } from '../session/change.ts';
import { ending } from '../session/state.ts';
import type { Ownership } from '../session/take-over.ts';

const why = (program: string, session: Stored<Session>): string => {
  const { name } = session.metadata;
  return ending(session)
    ? `Session ${name} has finished and is not suspended; \`${program} send ${name} TEXT\` lets it go on.`
    : `Session ${name} is not suspended.`;
};

export const define: Define = (command, app) => {
  const change: Change = (session) =>
    session.spec.suspend ? [{ op: 'add', path: '/spec/suspend', value: false }] : why(app.program, session);
  return addOwnershipFlags(command)
    .argument('<sessions...>', 'names of Sessions')
    .addHelpText('after', `\nExamples:\n  ${app.program} resume refactor`)
    .action((names: string[], ownership: Ownership) =>
      changeEach(app, names, { ...ownership, verb: 'resumed', change }),
    );
};
