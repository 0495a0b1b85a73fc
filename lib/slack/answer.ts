/**
 * Answers a Question for a user of Slack: as who they are in the cluster at this moment, so that the API server decides
 * whether they may. Which Question it is, our own message says; whether that message is the Question's, its status does.
 */
import { age } from '../age.ts';
import type { Stored } from '../api/meta.ts';
import type { Answer, Question } from '../api/question.ts';
import { makeTelling } from '../channel/telling.ts';
import { asImpersonated } from '../identity/impersonation-headers.ts';
import type { Identities } from '../identity/mapping.ts';
import type { Client } from '../kube/types.ts';
import { type Answered, answerAs } from '../question/answering.ts';
import type { SlackApi } from './api.ts';
import { goneMessage, type Shown } from './blocks.ts';
import { personOf } from './people.ts';
import type { User } from './request.ts';

export interface SlackOptions {
  /** The function's own, which acts as people. */
  client: Client;
  api: SlackApi;
  now: () => Date;
  /** Read anew at each act: who was taken out may not act any more. Throws where the file is unusable. */
  identities: () => Identities;
}

export interface Pressed {
  by: User;
  /** Where the message is. */
  channel: string;
  ts: string;
  shown: Shown;
  choice: Pick<Answer, 'option' | 'text'>;
}

/** Whether the Question was told by that very message, as far as it is noted; a message is pressed before it is noted. */
const isIn =
  ({ channel, ts }: Pressed) =>
  ({ status }: Stored<Question>): boolean => {
    const notice = status?.notices?.find((one) => one.channel === 'slack');
    return notice?.id === undefined || (notice.id === ts && notice.to === channel);
  };

/** Answers; gives what is to be said in private, nothing where the message will say it to all. Throws what passes by itself. */
export async function answerPressed(pressed: Pressed, options: SlackOptions): Promise<string | undefined> {
  const who = await personOf(pressed.by, options.identities(), options.api);
  if ('refusal' in who) return `Nothing was answered: ${who.message}`;
  const answering = {
    client: options.client.as(who.person),
    by: asImpersonated(who.person),
    now: options.now,
    isSeen: isIn(pressed),
  };
  const answered = await answerAs(pressed.shown, pressed.choice, answering);
  if (answered.kind === 'gone') await showGone(pressed, options.api);
  return words(answered, pressed.shown, options.now());
}

/** Nothing else will take the buttons away: of an object that is gone, no event comes. */
async function showGone({ channel, ts, shown }: Pressed, api: SlackApi): Promise<void> {
  await api('chat.update', { channel, ts, ...goneMessage(shown) }).catch(() => undefined);
}

function words(answered: Answered, { name, namespace }: Shown, now: Date): string | undefined {
  const question = `Question "${name}" in ${namespace}`;
  switch (answered.kind) {
    case 'answered':
      return undefined;
    case 'gone':
      return `${question} is gone, and nothing was answered: its Session was deleted, or it was.`;
    case 'foreign':
      return `This message is not the one that ${question} was told with; nothing was answered.`;
    case 'withdrawn':
      return `${question} waits for nobody any more: ${answered.message}. Nothing was answered.`;
    case 'impossible':
      return `${question} has no such answer; nothing was answered.`;
    case 'refused':
      return `Nothing was answered: ${answered.message}`;
    case 'closed':
      return closed(answered.question, question, now);
  }
}

function closed(question: Stored<Question>, named: string, now: Date): string {
  const { answer, state, outcome } = makeTelling(question, now);
  if (!answer || state === 'Expired') return `${named} is no longer open (${state}): ${outcome ?? 'nothing was done'}.`;
  const when = answer.at ? ` ${age(answer.at, now)} ago` : '';
  return `${named} was answered by ${answer.by}${when}: ${answer.said}. An answer stays.`;
}
