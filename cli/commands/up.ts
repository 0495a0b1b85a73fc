/** `tiny up`. */
import type { Define } from '../define.ts';
import { Failure } from '../failure.ts';

export const define: Define = (command) =>
  command.action(() => {
    throw new Failure('`tiny up` is not there yet');
  });
