/** `tiny status`. */
import type { Define } from '../define.ts';
import { Failure } from '../failure.ts';

export const define: Define = (command) =>
  command.action(() => {
    throw new Failure('`tiny status` is not there yet');
  });
