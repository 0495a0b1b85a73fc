/** An agent's error in words for a person: what it said itself, and what can be done where that is known. */
import { cut } from '../cut.ts';

const LONGEST = 4096;

/** What an error of the protocol says; adapters put the cause into `data`, and "Internal error" into the message. */
export function wordsOf(error: { message: string; data?: unknown }): string {
  const cause = causeOf(error.data);
  const words = cause === undefined || error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
  return cut(words, LONGEST);
}

function causeOf(data: unknown): string | undefined {
  if (typeof data === 'string') return data;
  if (typeof data !== 'object' || data === null) return undefined;
  const { details, message, error } = data as Record<string, unknown>;
  return [details, message, error].find((one) => typeof one === 'string');
}

type Advice = [pattern: RegExp, advice: string];

const ADVICE: Advice[] = [
  [
    /credit balance|insufficient.?(quota|credit|funds)|exceeded your current quota|billing|\b402\b|payment required/i,
    'the account behind the key is out of credit or over its quota: add credit or give another key, then send a message to go on',
  ],
  [
    /\b401\b|\b403\b|invalid.{0,20}api.?key|incorrect api key|authentication|unauthorized|not logged in|please run \/login/i,
    'the key is missing or refused: see the Secret in spec.credentials and, with a gateway, spec.agent.baseUrl; then send a message to go on',
  ],
  [
    /\b429\b|rate.?limit|\b529\b|overloaded|high demand|too many requests/i,
    "the model's server has too much to do: send a message later to go on",
  ],
  [
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|connection (error|refused)|fetch failed|error sending request|unable to connect|could not connect/i,
    "the model's server can't be reached: see spec.agent.baseUrl and whether spec.network.egress lets the pod connect to it",
  ],
  [
    /model.{0,80}(not found|does not exist|not supported|no access)|model_not_found/i,
    'the model is not known there: see spec.agent.model',
  ],
];

/** What to do about `words`, if that is known, ready to be put after them. */
export function adviceOn(words: string): string {
  const [, advice] = ADVICE.find(([pattern]) => pattern.test(words)) ?? [];
  return advice === undefined ? '' : `; ${advice}`;
}

/** That the agent failed, by its own `words`, with what to do about it. */
export const failureWords = (words: string): string => `the agent failed: ${words}${adviceOn(words)}`;
