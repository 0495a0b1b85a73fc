/**
 * Answers the agent's permission requests: by itself where the Session allows that kind of call or a person said
 * "always", else by a Question. The wait survives a kill: the agent asks again, and the Question that it asked
 * before is found by its key.
 */
import type * as acp from '@agentclientprotocol/sdk';
import type { Clock } from '../../lib/kube/clock.ts';
import { type Decision, decide } from '../../lib/question/decision.ts';
import { cut } from '../cut.ts';
import { trackOccurrences } from '../occurrences.ts';
import { poll } from '../polling.ts';
import { REASON } from '../reason.ts';
import { type Journal, progressOf } from './journal.ts';
import {
  type Choice,
  choicesOf,
  contentOf,
  NO,
  outcomeFor,
  permitQuestion,
  toolCallOf,
  unshowable,
  verdict,
  YES,
} from './permission.ts';
import { passesWhenAsked, persistently, type ToolsClient, ToolsError } from './tools-client.ts';

export interface PermitsOptions {
  session: string;
  /** Kinds of call that need no yes. */
  allow: readonly string[];
  journal: Journal;
  tools: ToolsClient;
  clock: Clock;
  log: (line: string) => void;
}

/** Decides one request; rejects when `signal` aborts. */
export type Permits = (
  request: acp.RequestPermissionRequest,
  known: Partial<acp.ToolCallUpdate> | undefined,
  signal: AbortSignal,
) => Promise<acp.RequestPermissionResponse>;

type Asking = { key: string; content: string; choices: Choice[]; spec: NonNullable<ReturnType<typeof permitQuestion>> };

/** Permits of one Session. */
export function makePermits(options: PermitsOptions): Permits {
  const { journal } = options;
  const occurrences = trackOccurrences((content) => progressOf(journal.records).delivered.get(content) ?? 0);
  return async (request, known, signal) => {
    const call = toolCallOf(request.toolCall, known);
    const choices = choicesOf(request.options);
    const content = contentOf(call);
    const wanted: Wanted = { call, choices, content };
    const unasked = answerUnasked(options, wanted);
    if (unasked) return unasked;
    const spec = permitQuestion(options.session, call, choices);
    if (!spec) return { outcome: outcomeFor(choices, NO) };
    const { occurrence, release } = occurrences.take(content, signal);
    const key = `permit\n${content}\n${occurrence}`;
    return askPerson(options, { key, content, choices, spec }, signal)
      .then((outcome) => ({ outcome }))
      .catch((error) => denied(refusal(error), wanted, options.log))
      .finally(release);
  };
}

interface Wanted {
  call: ReturnType<typeof toolCallOf>;
  choices: Choice[];
  content: string;
}

/** A yes or no that needs no Question. */
function answerUnasked(
  { allow, journal, log }: PermitsOptions,
  wanted: Wanted,
): acp.RequestPermissionResponse | undefined {
  const { call, choices, content } = wanted;
  const settled = allow.includes(call.kind) ? true : progressOf(journal.records).always.get(content);
  if (settled !== undefined) return { outcome: outcomeFor(choices, settled ? YES : NO) };
  const why = unshowable(call);
  return why === undefined ? undefined : denied(why, wanted, log);
}

/** A Question that the API server refuses is a no; all else goes on. */
function refusal(error: unknown): string {
  if (!(error instanceof ToolsError)) throw error;
  return `denied, because it could not be asked for: ${error.message}`;
}

function denied(why: string, { choices, call }: Wanted, log: (line: string) => void): acp.RequestPermissionResponse {
  log(`"${cut(call.title, 200)}" is ${why}`);
  return { outcome: outcomeFor(choices, NO), _meta: { [REASON]: why } };
}

async function askPerson(
  { journal, tools, clock }: PermitsOptions,
  { key, content, choices, spec }: Asking,
  signal: AbortSignal,
): Promise<acp.RequestPermissionOutcome> {
  const wait = { clock, signal };
  const question = await persistently(() => tools.ask(key, spec), { ...wait, isPassing: passesWhenAsked });
  const { name } = question.metadata;
  const decision = await poll(async (): Promise<Exclude<Decision, { state: 'open' }> | undefined> => {
    const now = decide(await persistently(() => tools.question(name), wait), new Date(clock.now()));
    return now.state === 'open' ? undefined : now;
  }, wait);
  const { allowed, always, outcome } = verdict(choices, decision);
  journal.append({ type: 'decided', content, allowed, always });
  return outcome;
}
