/**
 * Takes a delivery of GitHub: verifies it, reads it, acts, and answers with what was done, which GitHub shows under the
 * webhook's recent deliveries. It sends nothing again by itself; a delivery that failed is sent anew from there, or the next
 * act does the same.
 */
import type { Answered, Called } from '../called.ts';
import { ApiError, ConnectionError } from '../kube/errors.ts';
import type { Ref } from '../kube/types.ts';
import { type ActOptions, doAct } from './act.ts';
import { GitHubError } from './api.ts';
import { type Act, readDelivery, UnreadableDelivery } from './delivery.ts';
import { signedText } from './signature.ts';

export interface HandleOptions extends ActOptions {
  /** The webhook's secrets. */
  secrets: () => readonly string[];
  /** Brings a Session's comment up to date, behind the answer. */
  tellLater: (session: Ref) => void;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

/** In words, for GitHub shows them. */
interface Answer extends Answered {
  body?: string;
}

/** Throws only what nobody expected. */
export async function handleGitHub(
  { headers, body }: Pick<Called, 'headers' | 'body'>,
  options: HandleOptions,
): Promise<Answer> {
  const text = await signedText(body, headers['x-hub-signature-256'], options.secrets());
  if (text === undefined) {
    options.log.warn({ outcome: 'unsigned' }, 'the delivery is not signed with the secret of the webhook');
    return { status: 401, body: 'the signature is not that of the secret in Secret tiny-github\n' };
  }
  const delivery = headers['x-github-delivery'] ?? '';
  const event = headers['x-github-event'] ?? '';
  try {
    const answer = event === 'ping' ? { status: 200, body: 'it works\n' } : await answered(event, text, options);
    options.log.info({ delivery, event, status: answer.status }, (answer.body ?? '').trim());
    return answer;
  } catch (error) {
    const answer = failure(error);
    options.log.warn({ delivery, event, status: answer.status }, (answer.body ?? '').trim());
    return answer;
  }
}

async function answered(event: string, text: string, options: HandleOptions): Promise<Answer> {
  const delivered = readDelivery(event, text);
  if ('ignored' in delivered) return { status: 202, body: `${delivered.ignored}\n` };
  return { status: 202, body: `${await acted(delivered.act, options)}\n` };
}

async function acted(act: Act, options: HandleOptions): Promise<string> {
  const { words, session } = await doAct(act, options);
  if (session) options.tellLater(session);
  return words;
}

/** What went wrong, in words. What nobody expected is thrown on. */
function failure(error: unknown): Answer {
  if (error instanceof UnreadableDelivery) return { status: 400, body: `${error.message}\n` };
  if (error instanceof GitHubError) return { status: error.passes ? 503 : 502, body: `${error.message}\n` };
  if (error instanceof ApiError || error instanceof ConnectionError)
    return { status: 503, body: 'the cluster did not take it; deliver it again in a moment: nothing is done twice\n' };
  throw error;
}
