/**
 * The harness's way to the API server: HTTP over the Unix socket of the tools, which hold the token. One connection
 * a call; there are few.
 */
import { Agent, request } from 'node:http';
import type { Condition } from '../../lib/api/meta.ts';
import type { Question, QuestionSpec } from '../../lib/api/question.ts';
import type { Session, SessionStatus } from '../../lib/api/session.ts';
import type { Clock } from '../../lib/kube/clock.ts';
import { persistently as callPersistently } from '../polling.ts';
import type { Over } from './budget.ts';

/** A condition as the harness tells it; the tools add generation and time. */
export type TellCondition = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** What is to be told of the Session; what is absent stays as it was told before. */
export type StatusPatch = Omit<SessionStatus, 'conditions'> & { conditions?: TellCondition[] };

/** The tools answered with an error; `code` is the API server's. */
export class ToolsError extends Error {
  override name = 'ToolsError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export interface ToolsClient {
  session(): Promise<Session>;
  tell(patch: StatusPatch): Promise<void>;
  /** Asks, or finds what was asked under the same key before. */
  ask(key: string, spec: QuestionSpec): Promise<Question>;
  question(name: string): Promise<Question>;
  /** Asks whether to go on though the budget is used up, or finds what was asked before. */
  askBudget(request: { round: number; over: Over }): Promise<Question>;
}

/** Gets the API server's time, as an HTTP date. */
type Heard = (date: string | undefined) => void;

/** A client of the tools at `socketPath`. Its methods throw `ToolsError`, or a connection's error. */
export function toolsClient(socketPath: string, heard?: Heard): ToolsClient {
  const call = <T>(method: string, path: string, body?: unknown) =>
    callTools(socketPath, { method, path, body, heard }) as Promise<T>;
  return {
    session: () => call('GET', '/session'),
    tell: (patch) => call('PATCH', '/status', patch),
    ask: (key, spec) => call('POST', '/questions', { key, spec }),
    question: (name) => call('GET', `/questions/${encodeURIComponent(name)}`),
    askBudget: (request) => call('POST', '/budget', request),
  };
}

/** Node keeps connections by default; one to tools that were killed meanwhile would fail the next call. */
const agent = new Agent({ keepAlive: false });

interface Call {
  method: string;
  path: string;
  body: unknown;
  heard: Heard | undefined;
}

function callTools(socketPath: string, { method, path, body, heard }: Call) {
  return new Promise<unknown>((resolve, reject) => {
    const sent = request(
      { agent, socketPath, method, path, headers: { 'content-type': 'application/json' } },
      (response) => {
        heard?.(response.headers.date);
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('error', reject);
        response.once('end', () => {
          const code = response.statusCode ?? 500;
          const value = parse(text);
          if (code < 300) return resolve(value);
          reject(
            new ToolsError(code, (value as { error?: string } | undefined)?.error ?? `the tools answered ${code}`),
          );
        });
      },
    );
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Throttled, unknown for a moment (a token that is just being changed), in conflict, too slow. */
const PASSING = [401, 408, 409, 429];

/** Whether the same call may go well later: no answer, one of `PASSING`, or the server's own trouble. */
export const passes = (error: unknown): boolean =>
  !(error instanceof ToolsError) || error.code >= 500 || PASSING.includes(error.code);

/** The same for a Question to be asked: a name that is taken stays taken. */
export const passesWhenAsked = (error: unknown): boolean =>
  passes(error) && !(error instanceof ToolsError && error.code === 409);

/** Calls until there is an answer that stays. Throws what `isPassing` says no to, or `signal`'s reason. */
export const persistently = <T>(
  call: () => Promise<T>,
  wait: { clock: Clock; signal: AbortSignal; isPassing?: (error: unknown) => boolean },
): Promise<T> => callPersistently(call, { isPassing: passes, ...wait });
