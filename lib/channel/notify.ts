/**
 * Tells people of a Question, and brings what they see up to date. Each step is planned on the Question as it is, noted
 * under the condition that it is still that, carried out, and noted again. Whatever comes of it, the Question stays open
 * to every other way of answering.
 */
import { findCondition, transition } from '../api/conditions.ts';
import type { Condition, Stored } from '../api/meta.ts';
import type { Question } from '../api/question.ts';
import type { Notice } from '../api/question-notices.ts';
import { settingsOf } from '../api/settings-ref.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import { type Client, CONFIG_MAPS, QUESTIONS, type Ref } from '../kube/types.ts';
import { versionOf } from '../kube/version.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import { type Channel, ChannelError } from './channel.ts';
import { failed, NOTIFIED, planNotice, type Step, sent, tellingOf } from './plan.ts';
import { remind } from './remind.ts';
import { channelsOf, type Wanted } from './settings.ts';
import { digestOf, makeTelling, type Telling } from './telling.ts';

export interface NotifyOptions {
  /** Reads Questions and settings, and reports with a field manager of its own: an apply takes away what it leaves out. */
  client: Client;
  now: () => Date;
  /** The channels that can be used here, by name. */
  channels: Record<string, Channel>;
}

/** How often a note that met a newer version of the Question is begun anew. */
const ATTEMPTS = 6;

/** Tells people of the Question named by `ref` as far as they do not know yet. Never throws. */
export async function notify(ref: Ref, options: NotifyOptions): Promise<Outcome> {
  try {
    const settings = await options.client.get(CONFIG_MAPS, settingsOf(ref.namespace));
    let worst: Outcome = { kind: 'done', message: 'nobody to tell' };
    for (const wanted of channelsOf(settings ?? {})) {
      const outcome = await tell(ref, wanted, options);
      if (worst.kind === 'done') worst = outcome;
    }
    return worst;
  } catch (error) {
    return outcomeOf(error);
  }
}

async function tell(ref: Ref, wanted: Wanted, options: NotifyOptions): Promise<Outcome> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const outcome = await once(ref, wanted, options);
    if (outcome) return outcome;
  }
  return { kind: 'conflict', message: `Question "${ref.name}" changes faster than people can be told` };
}

/** One try; `undefined` where the Question has changed before anything was sent. */
async function once(ref: Ref, wanted: Wanted, options: NotifyOptions): Promise<Outcome | undefined> {
  const question = await options.client.get(QUESTIONS, ref);
  if (!question || question.metadata.deletionTimestamp) return { kind: 'done', message: 'gone' };
  const telling = makeTelling(question, options.now());
  const shown = digestOf(telling);
  const isOpen = telling.state === 'Open';
  const isDue = remind(question, options.now()).do === 'remind';
  const notice = noticeOf(question, wanted);
  const step = planNotice({ wanted, notice, shown, isOpen, isDue }, options.now());
  if (step.do === 'nothing') return { kind: 'done', message: 'people know' };
  if (step.do === 'wait') return later(step.seconds);
  const claimed = await note(question, { notice: step.claim }, options);
  if (!claimed) return undefined;
  const sending = { question: claimed, telling, wanted, step, shown };
  return step.do === 'remind' ? sayReminder(sending, options) : carryOut(sending, options);
}

/** What can't be said now is not said later. */
async function sayReminder({ telling, wanted, step }: Sending, { channels }: NotifyOptions): Promise<Outcome> {
  const { id, to = wanted.to } = step.claim;
  try {
    await channels[wanted.channel]?.remind?.(telling, { to, id });
    return { kind: 'done', message: 'people were reminded' };
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    return { kind: 'done', message: `people were not reminded: ${error.message}` };
  }
}

/** So long is an event delivered again; what is due after that, the next event or the sweep finds. Seconds. */
const PATIENCE = 30;

const later = (seconds: number): Outcome =>
  seconds > PATIENCE
    ? { kind: 'done', message: `people are told in ${seconds} s at the earliest` }
    : { kind: 'throttled', message: 'somebody is telling people', retryAfterSeconds: seconds };

const noticeOf = ({ status }: Question, { channel }: Wanted): Notice | undefined =>
  status?.notices?.find((notice) => notice.channel === channel);

interface Sending {
  question: Stored<Question>;
  telling: Telling;
  wanted: Wanted;
  step: Exclude<Step, { do: 'nothing' } | { do: 'wait' }>;
  shown: string;
}

async function carryOut(sending: Sending, options: NotifyOptions): Promise<Outcome> {
  const { step, shown, wanted } = sending;
  try {
    const id = await send(sending, options);
    await noteResult(sending.question, { notice: sent(step.claim, id, shown) }, options);
    return { kind: 'done', message: 'people were told' };
  } catch (error) {
    if (!(error instanceof ChannelError)) throw error;
    const notice = failed(step.claim, error, options.now());
    await noteResult(sending.question, { notice, problem: { channel: wanted.channel, error } }, options);
    const { message, retryAfterSeconds } = error;
    if (!error.passes) return { kind: 'refused', message };
    return { kind: 'throttled', message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  }
}

/** Sends, and gives the message's id. */
async function send({ telling, wanted, step }: Sending, { channels }: NotifyOptions): Promise<string | undefined> {
  const channel = Object.hasOwn(channels, wanted.channel) ? channels[wanted.channel] : undefined;
  if (!channel) {
    const message = `no function here can use it; docs/slack.md and docs/channels.md say what it takes`;
    throw new ChannelError('NotConfigured', message, { passes: false });
  }
  const { id } = step.claim;
  const to = step.claim.to ?? wanted.to;
  if (step.do === 'update') {
    await channel.update(telling, { to, id });
    return id;
  }
  const found = step.do === 'recover' ? await channel.find?.(telling, to, step.since) : undefined;
  if (!found) return channel.post(telling, to);
  await channel.update(telling, { to, id: found });
  return found;
}

interface Noted {
  notice: Notice;
  problem?: { channel: string; error: ChannelError };
}

/** Notes it on exactly the Question that was read; `undefined` where it has changed. */
async function note(
  question: Stored<Question>,
  { notice, problem }: Noted,
  { client, now }: NotifyOptions,
): Promise<Stored<Question> | undefined> {
  const others = (question.status?.notices ?? []).filter(({ channel }) => channel !== notice.channel);
  const notices = [...others, notice];
  const conditions = conditionsOf(question, tellingOf(notices, problem), now());
  try {
    return await client.applyStatus(QUESTIONS, { ...versionOf(question), status: { notices, conditions } });
  } catch (error) {
    if (isConflict(error)) return undefined;
    throw error;
  }
}

function conditionsOf(question: Stored<Question>, telling: ReturnType<typeof tellingOf>, now: Date): Condition[] {
  const before = findCondition(question, NOTIFIED);
  if (!telling) return before ? [before] : [];
  const observedGeneration = question.metadata.generation;
  return [transition(question, { type: NOTIFIED, ...telling, observedGeneration }, now)];
}

/** Notes what came of it, on the Question as it is by then. One that is gone needs no note. */
async function noteResult(question: Stored<Question>, noted: Noted, options: NotifyOptions): Promise<void> {
  let live: Stored<Question> | undefined = question;
  for (let attempt = 1; attempt <= ATTEMPTS && live; attempt++) {
    if (await note(live, noted, options).catch(unlessGone)) return;
    live = await reread(question, options);
  }
}

function unlessGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

async function reread(
  { metadata }: Stored<Question>,
  { client }: NotifyOptions,
): Promise<Stored<Question> | undefined> {
  const live = await client.get(QUESTIONS, metadata);
  return live?.metadata.uid === metadata.uid ? live : undefined;
}
