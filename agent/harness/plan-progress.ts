/** How far an agent is by its own plan, where it tells one. Pure. */
import type * as acp from '@agentclientprotocol/sdk';
import type { Plan } from '../../lib/api/budget.ts';
import { cut } from '../cut.ts';

const MAX_STEP = 1024;

/** The plan in `update`; `undefined` where it is none. */
export function planIn(update: acp.SessionUpdate): Plan | undefined {
  if (update.sessionUpdate !== 'plan') return undefined;
  const { entries } = update;
  const done = entries.filter(({ status }) => status === 'completed').length;
  const current = entries.find(({ status }) => status === 'in_progress')?.content.trim();
  return { done, total: entries.length, ...(current && { current: cut(current, MAX_STEP) }) };
}
