/** The conditions that the harness tells: Ready, Waiting and Finished, each whole, so that none contradicts another. */
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

/** The agent waits for the answer to the Question `name`. */
export const waiting = (name: string, text: string): StatusPatch => ({
  conditions: [
    condition('Ready', 'True', ['Waiting', `waiting for the answer to Question ${name}`]),
    condition('Waiting', 'True', ['Question', `Question ${name}: ${text.slice(0, 1024)}`]),
  ],
});

/** The Question `name` was answered, or expired. */
export const answered = (name: string): StatusPatch => ({
  conditions: [
    condition('Ready', 'True', ['Working', `going on after Question ${name}`]),
    condition('Waiting', 'False', ['Answered', `Question ${name} is no longer open`]),
  ],
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

/** A message came after the finish. */
export const reopened = (): StatusPatch => ({
  conditions: [
    condition('Finished', 'False', ['Resumed', 'a message came']),
    condition('Ready', 'True', ['Working', 'going on with a message']),
  ],
});
