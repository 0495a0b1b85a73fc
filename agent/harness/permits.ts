/**
 * Answers the agent's permission requests: by itself where the Session allows that kind of call or a person said
 * "always", else by a Question. The wait survives a kill: the agent asks again, and the Question that it asked
 * before is found by its key.
 */
import type * as acp from '@agentclientprotocol/sdk';
import type { Approvals } from '../../lib/api/approvals.ts';
import type { Clock } from '../../lib/kube/clock.ts';
import { type Decision, decide } from '../../lib/question/decision.ts';
import { cut } from '../cut.ts';
import { trackOccurrences } from '../occurrences.ts';
import { poll } from '../polling.ts';
import { REASON } from '../reason.ts';
import { isUnasked, type Place } from './approvals.ts';
import { type Choice, choicesOf, NO, outcomeFor, verdict, YES } from './choices.ts';
import { type Journal, progressOf } from './journal.ts';
import { permitQuestion, unshowable } from './permission.ts';
import { contentOf, mergeCall, proposedOf, rememberedAs, toolCallOf } from './tool-call.ts';
import { passesWhenAsked, persistently, type ToolsClient, ToolsError } from './tools-client.ts';

export interface PermitsOptions {
  session: string;
  /** What needs no yes, and where. */
  approvals: Approvals;
  place: Place;
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

interface Wanted {
  call: ReturnType<typeof toolCallOf>;
  choices: Choice[];
  /** What makes two requests the same one. */
  content: string;
  /** What an "always" is remembered by. */
  remember: string;
  isUnasked: boolean;
}

type Asking = Wanted & { key: string; spec: NonNullable<ReturnType<typeof permitQuestion>> };

/** Permits of one Session. */
export function makePermits(options: PermitsOptions): Permits {
  const { journal } = options;
  const occurrences = trackOccurrences((content) => progressOf(journal.records).delivered.get(content) ?? 0);
  return async (request, known, signal) => {
    const wanted = wantedBy(request, known, options);
    const unasked = answerUnasked(options, wanted);
    if (unasked) return unasked;
    const { content, choices } = wanted;
    const spec = permitQuestion(options.session, wanted.call, choices);
    if (!spec) return { outcome: outcomeFor(choices, NO) };
    const { occurrence, release } = occurrences.take(content, signal);
    const key = `permit\n${content}\n${occurrence}`;
    return askPerson(options, { ...wanted, key, spec }, signal)
      .then((outcome) => ({ outcome }))
      .catch((error) => denied(refusal(error), wanted, options.log))
      .finally(release);
  };
}

function wantedBy(
  { toolCall, options }: acp.RequestPermissionRequest,
  known: Partial<acp.ToolCallUpdate> | undefined,
  { approvals, place }: PermitsOptions,
): Wanted {
  const merged = mergeCall(toolCall, known);
  const call = toolCallOf(merged);
  const proposed = proposedOf(merged);
  const content = contentOf(call);
  return {
    call,
    content,
    choices: choicesOf(options, proposed.command?.isPlain ? 'command' : 'call'),
    remember: rememberedAs(proposed, content),
    isUnasked: isUnasked(proposed, approvals, place),
  };
}

/** A yes or no that needs no Question: a no that somebody has said for always before what the Session allows. */
function answerUnasked({ journal, log }: PermitsOptions, wanted: Wanted): acp.RequestPermissionResponse | undefined {
  const { call, choices, content, remember } = wanted;
  const { always } = progressOf(journal.records);
  const settled = always.get(remember) ?? always.get(content) ?? (wanted.isUnasked || undefined);
  if (settled !== undefined) {
    log(`"${cut(call.title, 200)}" is ${settled ? 'allowed' : 'denied'} unasked`);
    return { outcome: outcomeFor(choices, settled ? YES : NO) };
  }
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
  { journal, tools, clock, log }: PermitsOptions,
  { key, call, content, remember, choices, spec }: Asking,
  signal: AbortSignal,
): Promise<acp.RequestPermissionOutcome> {
  const wait = { clock, signal };
  const question = await persistently(() => tools.ask(key, spec), { ...wait, isPassing: passesWhenAsked });
  const { name } = question.metadata;
  const decision = await poll(async (): Promise<Closed | undefined> => {
    const now = decide(await persistently(() => tools.question(name), wait), new Date(clock.now()));
    return now.state === 'open' ? undefined : now;
  }, wait);
  const { allowed, always, outcome } = verdict(choices, decision);
  journal.append({ type: 'decided', content, allowed, always, ...(always && { remember }) });
  log(`"${cut(call.title, 200)}" is ${allowed ? 'allowed' : 'denied'} ${answerer(decision)}`);
  return outcome;
}

type Closed = Exclude<Decision, { state: 'open' }>;

const answerer = (decision: Closed): string =>
  decision.state === 'answered' ? `by ${decision.by?.username ?? 'somebody'}` : 'because nobody answered in time';
