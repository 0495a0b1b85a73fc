/**
 * Withdraws a Question that nobody waits for any more: its conditions say so, and so a later answer makes nothing happen.
 * The Question's own reconciliation knows the Question alone, and this takes a look at the Session that asked.
 */
import { findCondition, type Telling, transition } from '../api/conditions.ts';
import type { Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import { type Client, QUESTIONS, type Ref, SESSIONS } from '../kube/types.ts';
import { versionOf } from '../kube/version.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import { decide, WITHDRAWN } from './decision.ts';
import { CONDITION } from './status.ts';
import { withdrawal } from './withdrawal.ts';

export interface WithdrawOptions {
  /** As the function itself. */
  client: Client;
  now: () => Date;
}

/** `undefined` where there is nothing to withdraw, or it was: else why it could not be. Never throws. */
export async function withdraw(ref: Ref, { client, now }: WithdrawOptions): Promise<Outcome | undefined> {
  try {
    const question = await client.get(QUESTIONS, ref);
    if (!question || findCondition(question, CONDITION.acted) || decide(question, now()).state !== 'open')
      return undefined;
    const session = await client.get(SESSIONS, { ...ref, name: question.spec.session });
    const message = withdrawal(question, session);
    if (message) await tell(question, message, { client, now });
    return undefined;
  } catch (error) {
    // Answered meanwhile, which wakes the function anew; or gone.
    return isConflict(error) || isNotFound(error) ? undefined : outcomeOf(error);
  }
}

async function tell(question: Stored<Question>, why: string, { client, now }: WithdrawOptions): Promise<void> {
  const { generation: observedGeneration } = question.metadata;
  const message = `withdrawn: ${why}; nothing was done`;
  const conditions = [CONDITION.answered, CONDITION.acted].map((type) => {
    const telling: Telling = { type, status: 'False', reason: WITHDRAWN, message, observedGeneration };
    return transition(question, telling, now());
  });
  await client.applyStatus(QUESTIONS, { ...versionOf(question), status: { conditions } });
}
