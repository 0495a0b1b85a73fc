/** The conditions that the harness tells, each report whole, so that none contradicts another. That a Question is open the tools tell, which see every one. */
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

const notWaiting = condition('Waiting', 'False', ['NotWaiting', 'nothing is asked']);

/** A turn is going on. */
export const working = (message: string): StatusPatch => ({
  conditions: [condition('Ready', 'True', ['Working', message]), notWaiting],
});

/** The turn has ended and a message may come. */
export const idle = (): StatusPatch => ({
  conditions: [condition('Ready', 'True', ['Idle', 'the turn has ended; a message starts the next one']), notWaiting],
});

/** The Session is done, well or badly. */
export const finished = ({ reason, message }: Finish): StatusPatch => ({
  conditions: [
    condition('Ready', 'False', [reason === 'Failed' ? 'Failed' : 'Finished', message]),
    condition('Finished', 'True', [reason, message]),
    notWaiting,
  ],
});

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
