/**
 * Answers the agent's permission requests: by itself where the Session allows that kind of call or a person said
 * "always", else by a Question. The wait survives a kill: the agent asks again, and the Question that it asked
 * before is found by its key.
 */
import type * as acp from '@agentclientprotocol/sdk';
import type { Clock } from '../../lib/kube/clock.ts';
import { type Decision, decide } from '../../lib/question/decision.ts';
import { trackOccurrences } from '../occurrences.ts';
import { poll } from '../polling.ts';
import { type Journal, progressOf } from './journal.ts';
import {
  type Choice,
  choicesOf,
  contentOf,
  NO,
  outcomeFor,
  permitQuestion,
  toolCallOf,
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
) => Promise<acp.RequestPermissionOutcome>;

type Asking = { key: string; content: string; choices: Choice[]; spec: NonNullable<ReturnType<typeof permitQuestion>> };

/** Permits of one Session. */
export function makePermits(options: PermitsOptions): Permits {
  const { journal } = options;
  const occurrences = trackOccurrences((content) => progressOf(journal.records).delivered.get(content) ?? 0);
  return async (request, known, signal) => {
    const call = toolCallOf(request.toolCall, known);
    const choices = choicesOf(request.options);
    const content = contentOf(call);
    const settled = settledBefore(options, call, content);
    const spec = settled === undefined ? permitQuestion(options.session, call, choices) : undefined;
    if (!spec) return outcomeFor(choices, settled ? YES : NO);
    const { occurrence, release } = occurrences.take(content, signal);
    const key = `permit\n${content}\n${occurrence}`;
    return askPerson(options, { key, content, choices, spec }, signal)
      .catch((error) => denied(error, { choices, title: call.title, log: options.log }))
      .finally(release);
  };
}

/** A yes or no that needs no Question. */
function settledBefore(
  { allow, journal }: PermitsOptions,
  call: { kind: string },
  content: string,
): boolean | undefined {
  return allow.includes(call.kind) ? true : progressOf(journal.records).always.get(content);
}

/** A Question that the API server refuses is a no; all else goes on. */
function denied(
  error: unknown,
  { choices, title, log }: { choices: Choice[]; title: string; log: (line: string) => void },
) {
  if (!(error instanceof ToolsError)) throw error;
  log(`the permission for "${title}" could not be asked for and counts as denied: ${error.message}`);
  return outcomeFor(choices, NO);
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
