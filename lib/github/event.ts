/** An event of a Session or a Question, for the comment on the issue: a hint to read the Session, as it is now. */
import { receive, UnreadableEvent } from '../event/receive.ts';
import { type Client, QUESTIONS, type Ref, SESSIONS } from '../kube/types.ts';
import { HTTP_STATUS, type Outcome, outcomeOf } from '../outcome.ts';
import { GitHubError } from './api.ts';

export interface EventOptions {
  /** The function's own. */
  client: Client;
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
  /** Throws what passes by itself. */
  tell: (session: Ref) => Promise<void>;
}

export interface EventRequest {
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
}

/** The Session that it is about; `undefined` where the Question is gone. Throws `UnreadableEvent`. */
async function sessionOf({ headers, body }: EventRequest, client: Client): Promise<Ref | undefined> {
  const message = { headers: headers as Record<string, string>, body: body.toString('utf8') };
  if (headers['ce-kind'] !== QUESTIONS.kind) {
    const { namespace, name } = receive(message, SESSIONS);
    return { namespace, name };
  }
  const { namespace, name } = receive(message, QUESTIONS);
  const question = await client.get(QUESTIONS, { namespace, name });
  return question && { namespace, name: question.spec.session };
}

function outcome(error: unknown): Outcome {
  if (error instanceof UnreadableEvent) return { kind: 'unreadable', message: error.message };
  if (!(error instanceof GitHubError)) return outcomeOf(error);
  const { message, retryAfterSeconds } = error;
  return error.reason === 'RateLimited'
    ? { kind: 'throttled', message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
    : { kind: 'failed', message };
}

/** Answers as Knative's triggers need it: what may pass by itself is delivered again. */
export async function takeEvent(
  request: EventRequest,
  { client, log, tell }: EventOptions,
): Promise<{ status: number }> {
  try {
    const session = await sessionOf(request, client);
    if (session) await tell(session);
    return { status: HTTP_STATUS.done };
  } catch (error) {
    const { kind, message } = outcome(error);
    log.warn({ outcome: kind }, message);
    return { status: HTTP_STATUS[kind] };
  }
}
