/**
 * At the limit of its budget a Session does nothing more until a person has said whether it goes on. What they said is in
 * the journal before it has any effect, and the Question is found again by what it asks: so it is asked once, whatever is
 * killed meanwhile.
 */
import type { Session } from '../../lib/api/session.ts';
import { type Decision, decide } from '../../lib/question/decision.ts';
import { pollDelay } from '../polling.ts';
import { limitOf, type Over, overBudget, raisedLimit } from './budget.ts';
import type { HarnessOptions, Live } from './context.ts';
import { writeDown } from './disk.ts';
import { type Journal, type JournalRecord, type Progress, progressOf } from './journal.ts';
import { passes, persistently, type StatusPatch, ToolsError } from './tools-client.ts';
import { usageOf } from './usage.ts';

/** What of its budget the Session has used up. */
export const overOf = (progress: Progress, { spec }: Session): Over | undefined =>
  overBudget(spec.budget, progress, progress.budget.raised);

/** What is told of use and limit. */
export function useOf(journal: Journal, session: Session | undefined): StatusPatch {
  const progress = progressOf(journal.records);
  const budget = session?.spec.budget;
  return {
    usage: usageOf(progress.spent, progress.turns),
    ...(budget && { budget: limitOf(budget, progress.budget.raised) }),
  };
}

type Asked = { round: number; over: Over };

/** Asks, and waits for the answer, for the deadline, or for a budget that is large enough. */
export async function askBudget(over: Over, options: HarnessOptions, live: Live): Promise<void> {
  const { clock, stop, config, journal } = options;
  await live.conversation?.end();
  delete live.conversation;
  // Whoever is asked sees what was used.
  options.reporter.tell(useOf(journal, live.session));
  const asked = { round: progressOf(journal.records).budget.round, over };
  const deadline = config.deadlineAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(config.deadlineAt);
  const start = clock.now();
  while (clock.now() < deadline) {
    const decision = await look(asked, options);
    if (decision.state === 'answered') return note(decision.allowed, asked, options);
    const session = await persistently(() => options.tools.session(), { clock, signal: stop });
    if (!overOf(progressOf(journal.records), session)) return;
    await clock.sleep(Math.min(pollDelay(clock.now() - start), deadline - clock.now()), stop);
  }
}

/** A Question that somebody has deleted is asked again; one that may not be asked yet, too. */
async function look(asked: Asked, { tools, clock, stop, log }: HarnessOptions): Promise<Decision> {
  let said = '';
  const isPassing = (error: unknown) => {
    const { message } = error as Error;
    if (message !== said) log(`the budget is used up, and it can't be asked yet whether to go on: ${message}`);
    said = message;
    return passes(error) || (error instanceof ToolsError && [403, 404].includes(error.code));
  };
  return persistently(
    async () => {
      const { metadata } = await tools.askBudget(asked);
      return decide(await tools.question(metadata.name), new Date(clock.now()));
    },
    { clock, signal: stop, isPassing },
  );
}

async function note(isYes: boolean, { over }: Asked, options: HarnessOptions): Promise<void> {
  const { tools, clock, stop, journal, reporter } = options;
  const session = await persistently(() => tools.session(), { clock, signal: stop });
  await writeDown(options, isYes ? more(over, session, journal) : noMore(session));
  const { messages } = progressOf(journal.records);
  reporter.note({ ...useOf(journal, session), ...(messages > 0 && { messagesRead: messages }) });
}

/** What waits unread is passed over: else it would have the Session go on at once. */
const noMore = ({ spec }: Session): JournalRecord => ({
  type: 'budget',
  goOn: false,
  passedOver: spec.messages?.length ?? 0,
});

function more(over: Over, { spec }: Session, journal: Journal): JournalRecord {
  if (over.what === 'unreported') return { type: 'budget', goOn: true, blind: true };
  return { type: 'budget', goOn: true, limit: raisedLimit(spec.budget ?? {}, progressOf(journal.records)) };
}
