/** `tiny down`. */
import type { Define } from '../define.ts';
import { Failure } from '../failure.ts';

export const define: Define = (command) =>
  command.action(() => {
    throw new Failure('`tiny down` is not there yet');
  });
