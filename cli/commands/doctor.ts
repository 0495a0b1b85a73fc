/** placeholder */
import type { Define } from '../define.ts';
export const define: Define = (command) => command;
