/**
 * Takes a request of Slack: verifies it, reads it, acts, and acknowledges. What is answered at once is empty; the act is
 * waited for as long as Slack's patience allows for, and goes on behind the answer where it takes longer. It is the same
 * act however often Slack sends it: the API server knows whether it was done.
 */

import type { Answered, Called } from '../called.ts';
import { ChannelError } from '../channel/channel.ts';
import { ImpersonationRefused } from '../identity/impersonation-headers.ts';
import { UnusableIdentities } from '../identity/mapping.ts';
import { UnusableProjects } from '../intake/projects.ts';
import { answerPressed, type Pressed } from './answer.ts';
import { shownBy, WORDS } from './blocks.ts';
import { type CommandOptions, runCommand } from './command.ts';
import { askForWords, pressedIn } from './modal.ts';
import { sendPrivately, tellPrivately } from './private.ts';
import { readSlack, type Slacked, UnreadableRequest } from './request.ts';
import { isFromSlack } from './signature.ts';

export interface HandleOptions extends CommandOptions {
  /** The signing secrets of the Slack app. */
  secrets: () => readonly string[];
  /** Holds work that outlasts its answer. */
  later: (work: Promise<unknown>) => void;
  /** Resolves after so many milliseconds. */
  sleep: (ms: number) => Promise<unknown>;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

/** Slack waits for 3 s from its sending on, of which a start from zero takes up to 1.6 s. Milliseconds. */
const ACKNOWLEDGED_IN = 1_000;

const ACKNOWLEDGED: Answered = { status: 200 };

/** Throws only what nobody expected. */
export async function handleSlack(
  request: Pick<Called, 'headers' | 'body'>,
  options: HandleOptions,
): Promise<Answered> {
  const { headers, body } = request;
  if (!isFromSlack({ headers, body }, options.secrets(), options.now().getTime())) {
    options.log.warn({ outcome: 'unsigned' }, 'the request is not signed by Slack, or not just now');
    return { status: 401 };
  }
  try {
    return await act(readSlack(headers['content-type'], body), options);
  } catch (error) {
    if (!(error instanceof UnreadableRequest)) throw error;
    options.log.warn({ outcome: 'unreadable' }, error.message);
    return { status: 400 };
  }
}

async function act(slacked: Slacked, options: HandleOptions): Promise<Answered> {
  switch (slacked.kind) {
    case 'challenge':
      return { status: 200, body: slacked.challenge };
    case 'press':
      return acknowledged(press(slacked, options), options);
    case 'words':
      return acknowledged(typed(slacked, options), options);
    case 'command':
      return commanded(slacked, options);
    default:
      return ACKNOWLEDGED;
  }
}

type Press = Extract<Slacked, { kind: 'press' }>;

async function press(slacked: Press, options: HandleOptions): Promise<void> {
  const { by, channel, ts, block, action, value } = slacked;
  const shown = shownBy(block);
  if (!shown) return;
  if (action === WORDS) return await privately(slacked, options, () => askForWords(slacked, shown, options.api));
  if (action !== `option/${value}`) return;
  await answered({ by, channel, ts, shown, choice: { option: value } }, options);
}

async function typed(
  { by, context, text }: Extract<Slacked, { kind: 'words' }>,
  options: HandleOptions,
): Promise<void> {
  const where = pressedIn(context);
  if (where) await answered({ by, ...where, choice: { text } }, options);
}

const answered = (pressed: Pressed, options: HandleOptions): Promise<void> =>
  privately(pressed, options, async () => {
    const words = await answerPressed(pressed, options);
    options.log.info({ ...pressed.shown, outcome: words ? 'refused' : 'answered' }, 'pressed');
    return words;
  });

type Where = Pick<Pressed, 'by' | 'channel'>;

/** Does it, and tells whoever has pressed what they must know; also where it could not be done. */
async function privately(
  { by, channel }: Where,
  options: HandleOptions,
  work: () => Promise<string | undefined>,
): Promise<void> {
  const words = await work().catch((error) => trouble(error, options));
  if (!words) return;
  await tellPrivately(options.api, { ...by, channel }, words).catch((error) => trouble(error, options));
}

const LASTING = [ImpersonationRefused, UnusableIdentities, UnusableProjects, ChannelError];

/** What went wrong, for a person. What nobody expected is logged by its name alone, for a message may quote. */
function trouble(error: unknown, { log }: HandleOptions): string {
  const known = LASTING.some((type) => error instanceof type);
  const what = known ? (error as Error).message : 'the cluster did not answer';
  log.warn({ outcome: 'failed', error: (error as Error)?.name }, what);
  return known
    ? `Nothing was done: ${what}.`
    : 'The cluster did not answer. Press again in a moment: what was done already is not done twice.';
}

/** Empty, as soon as it is done or Slack's patience ends. */
async function acknowledged(work: Promise<void>, options: HandleOptions): Promise<Answered> {
  options.later(work);
  await Promise.race([work, options.sleep(ACKNOWLEDGED_IN)]);
  return ACKNOWLEDGED;
}

/** The words in the answer itself where they are ready in time, else afterwards. */
async function commanded(command: Extract<Slacked, { kind: 'command' }>, options: HandleOptions): Promise<Answered> {
  let late = false;
  const patience = options.sleep(ACKNOWLEDGED_IN).then(() => {
    late = true;
  });
  const work = runCommand(command, options).catch((error) => trouble(error, options));
  const toldLate = async (text: string) => {
    if (late) await sendPrivately(options.api, { ...command.by, channel: command.channel }, text);
  };
  options.later(work.then(toldLate).catch((error) => trouble(error, options)));
  const text = await Promise.race([work, patience]);
  return text === undefined ? ACKNOWLEDGED : { status: 200, body: { response_type: 'ephemeral', text } };
}
