/**
 * The harness's loop: ask `next` what to do, write it into the journal, do it. It ends only when it is stopped; a
 * finished agent waits here for a message, because a Deployment starts again what exits.
 */
import type { Session } from '../../lib/api/session.ts';
import { milliseconds } from '../../lib/session/lifetime.ts';
import { pollDelay } from '../polling.ts';
import { stir } from '../stir.ts';
import { askBudget, overOf } from './budget-asking.ts';
import { giveUp, type HarnessOptions, type Live } from './context.ts';
import { isFull, writeDown } from './disk.ts';
import { type Finish, progressOf } from './journal.ts';
import { next, type Step, type View } from './next.ts';
import { finished, idle, outcome, reopened } from './telling.ts';
import { persistently } from './tools-client.ts';
import { takeTurn } from './turn.ts';

/** Runs until `stop` aborts. Throws where the volume can't be written. */
export async function runHarness(options: HarnessOptions): Promise<void> {
  const { stop } = options;
  const live: Live = {};
  try {
    await tellWhereWeAre(options);
    while (!stop.aborted) await step(options, live);
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    noteStop(options);
    await live.conversation?.end();
  }
}

/** A full volume keeps no record of it: then the resume that follows counts as one after a kill. */
function noteStop({ journal, stop }: HarnessOptions): void {
  if (!progressOf(journal.records).open || !stop.aborted) return;
  try {
    journal.append({ type: 'stopped' });
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

async function step(options: HarnessOptions, live: Live): Promise<void> {
  const { journal, tools, clock, stop } = options;
  live.session = await persistently(() => tools.session(), { clock, signal: stop });
  const progress = progressOf(journal.records);
  const view = { ...viewOf(options, live.session), over: overOf(progress, live.session) };
  await perform(next(progress, view), options, live);
}

const viewOf = ({ config, clock }: HarnessOptions, { spec, status }: Session): View => ({
  now: clock.now(),
  hasRepository: config.repository !== undefined,
  messages: spec.messages?.length ?? 0,
  read: status?.messagesRead ?? 0,
  finishAfterMs: milliseconds(config.idle.finishAfter),
  deadlineAt: config.deadlineAt === undefined ? undefined : Date.parse(config.deadlineAt),
});

function perform(step: Step, options: HarnessOptions, live: Live): Promise<void> {
  switch (step.do) {
    case 'clone':
      return makeClone(options);
    case 'prompt':
    case 'resume':
      return takeTurn(step, options, live);
    case 'finish':
      return finish(options, live, { reason: step.reason, message: step.message });
    case 'reopen':
      return reopen(options);
    case 'budget':
      return askBudget(step.over, options, live);
    case 'wait':
      return rest(step.until, options, live);
  }
}

/** How often a clone that may yet succeed is tried. */
const CLONE_TRIES = 4;

async function makeClone(options: HarnessOptions): Promise<void> {
  const { clone, config, clock, stop, log } = options;
  log(`cloning ${config.repository?.url}`);
  for (let tries = 1; ; tries += 1) {
    const made = await clone();
    stop.throwIfAborted();
    if ('branch' in made) return writeDown(options, { type: 'cloned', ...made });
    log(made.message);
    if (!made.passes || tries === CLONE_TRIES) return giveUp(options, made.message);
    await clock.sleep(1000 * 2 ** (tries - 1), stop);
  }
}

async function finish(options: HarnessOptions, live: Live, end: Finish): Promise<void> {
  await live.conversation?.end();
  delete live.conversation;
  const came = await options.result();
  await writeDown(options, { type: 'finished', ...end });
  options.reporter.tell({ ...finished(end), ...outcome(came) });
}

async function reopen(options: HarnessOptions): Promise<void> {
  await writeDown(options, { type: 'reopened' });
  options.reporter.tell(reopened());
}

/** Waits for the time, or for the Session to have another message. */
async function rest(until: number | undefined, options: HarnessOptions, live: Live): Promise<void> {
  const { clock, stop } = options;
  const tellIdle = idleTeller(options);
  const start = clock.now();
  const had = live.session?.spec.messages?.length ?? 0;
  const over = () => until !== undefined && clock.now() >= until;
  while (!over() && (await countMessages(options)) <= had) {
    tellIdle();
    const slowly = Math.max(2000, pollDelay(clock.now() - start));
    await clock.sleep(until === undefined ? slowly : Math.min(slowly, Math.max(0, until - clock.now())), stop);
  }
}

/** Tells an agent that isn't finished idle: once, and past the Session's patience again each minute. */
function idleTeller({ reporter, clock, journal, config }: HarnessOptions): () => void {
  const { finished: isOver, last } = progressOf(journal.records);
  const patience = config.idle.suspendAfter === undefined ? undefined : milliseconds(config.idle.suspendAfter);
  let said: string | undefined;
  return () => {
    const waited = stir(clock.now() - (last?.at ?? clock.now()), patience);
    if (isOver || waited === said) return;
    said = waited;
    reporter.tell(idle(waited));
  };
}

async function countMessages({ tools, clock, stop }: HarnessOptions): Promise<number> {
  const session = await persistently(() => tools.session(), { clock, signal: stop });
  return session.spec.messages?.length ?? 0;
}

/** After a restart: says again what the journal holds, in case the last report was lost. */
async function tellWhereWeAre({ journal, reporter, result }: HarnessOptions): Promise<void> {
  const progress = progressOf(journal.records);
  if (journal.records.length === 0) return;
  if (progress.messages > 0) reporter.note({ messagesRead: progress.messages });
  if (progress.agentSession !== undefined && progress.sessionKept)
    reporter.note({ agentSessionId: progress.agentSession });
  if (progress.finished) reporter.tell({ ...finished(progress.finished), ...outcome(await result()) });
}
