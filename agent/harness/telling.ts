/** The conditions that the harness tells, each report whole, so that none contradicts another. That a Question is open the tools tell, which see every one. */
import { STALLED, VOLUME_FULL, type WaitsFor } from '../../lib/session/status.ts';
import type { Finish } from './journal.ts';
import type { StatusPatch, TellCondition } from './tools-client.ts';

const condition = (
  type: string,
  status: 'True' | 'False',
  words: [reason: string, message: string],
): TellCondition => ({
  type,
  status,
  reason: words[0],
  message: words[1],
});

/** Nothing is waited for, beside what else is told. */
const notWaiting = (...conditions: TellCondition[]): StatusPatch => ({
  conditions: [...conditions, condition('Waiting', 'False', ['NotWaiting', 'nothing is asked'])],
  waitingFor: [],
});

/** A turn is going on. */
export const working = (message: string): StatusPatch => notWaiting(condition('Ready', 'True', ['Working', message]));

/** The turn has ended and a message may come; `waited` says for how long, where that matters. */
export const idle = (waited: string): StatusPatch => {
  const message = `the turn has ended; a message starts the next one${waited}`;
  return {
    conditions: [
      condition('Ready', 'True', ['Idle', message]),
      condition('Waiting', 'True', ['Message' satisfies WaitsFor, message]),
    ],
    waitingFor: [],
  };
};

/** The agent has said nothing for too long. */
export const stalled = (message: string): StatusPatch => notWaiting(condition('Ready', 'False', [STALLED, message]));

/** Nothing can be written down, and so nothing is done. */
export const full = (message: string): StatusPatch => ({
  conditions: [condition('Ready', 'False', [VOLUME_FULL, message])],
});

/** The Session is done, well or badly. */
export const finished = ({ reason, message }: Finish): StatusPatch =>
  notWaiting(
    condition('Ready', 'False', [reason === 'Failed' ? 'Failed' : 'Finished', message]),
    condition('Finished', 'True', [reason, message]),
  );

/** The longest status line that a result leaves behind, in code points. */
const MAX_HEADLINE = 200;

/** What came of it, and as the last status line how the summary begins: what the agent was doing is over. */
export function outcome(result: NonNullable<StatusPatch['result']>): StatusPatch {
  const [first = ''] = (result.summary ?? '').split('\n');
  return { result, ...(first.trim() && { message: [...first.trim()].slice(0, MAX_HEADLINE).join('') }) };
}

/** A message came after the finish. */
export const reopened = (): StatusPatch => ({
  conditions: [
    condition('Finished', 'False', ['Resumed', 'a message came']),
    condition('Ready', 'True', ['Working', 'going on with a message']),
  ],
});
