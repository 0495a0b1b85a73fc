/**
 * What a person may answer to a permission request, and which of the agent's options an answer stands for. "Always" is
 * ours: an agent would remember what it likes, often more than was shown. Pure.
 */
import type * as acp from '@agentclientprotocol/sdk';
import type { Effect } from '../../lib/api/question.ts';
import type { Decision } from '../../lib/question/decision.ts';
import { cut } from '../cut.ts';
import { OPTION_ID } from '../option-id.ts';

/** The longest text of an option, in characters. */
const MAX_TEXT = 256;

const EFFECT: Record<acp.PermissionOptionKind, Effect> = {
  allow_once: 'Allow',
  allow_always: 'AllowAlways',
  reject_once: 'Deny',
  reject_always: 'DenyAlways',
};

/** One thing that a person may choose, and the agent's option that it stands for, if the agent offered one. */
export interface Choice {
  id: string;
  text: string;
  effect: Effect;
  optionId: string | undefined;
}

/** What "always" means here, in words: the harness remembers it, word for word, and the agent hears of a single yes or no. */
const ALWAYS = {
  AllowAlways: (what: string) => `Always in this Session: this ${what}`,
  DenyAlways: (what: string) => `Never in this Session: this ${what}`,
} as const;

/** How many of the agent's options are shown; a no of ours may come on top. */
const MOST_OPTIONS = 15;

/**
 * What the agent offers, under ids that a person can type; a way to say no is always there. Where it offers a lasting
 * answer, ours takes its place, since what the agent would remember is its own and often wider; it keeps its own only
 * where it offers none for once.
 */
export function choicesOf(offered: readonly acp.PermissionOption[], what = 'call'): Choice[] {
  const ids = countedIds();
  const choices = offered
    .slice(0, MOST_OPTIONS)
    .map((option) => choiceFor(option, offered, what))
    .filter(isFirst)
    .map((choice) => ({ ...choice, id: ids(choice.effect) }));
  if (choices.some(({ effect }) => effect === 'Deny')) return choices;
  return [...choices, { id: OPTION_ID.Deny, text: 'No', effect: 'Deny', optionId: undefined }];
}

type Offer = Omit<Choice, 'id'>;

function choiceFor(option: acp.PermissionOption, offered: readonly acp.PermissionOption[], what: string): Offer {
  const effect = EFFECT[option.kind];
  const once = isLasting(effect) ? onceFor(offered, effect) : undefined;
  if (once && isLasting(effect)) return { effect, text: ALWAYS[effect](what), optionId: once.optionId };
  return { effect, text: cut(option.name, MAX_TEXT) || OPTION_ID[effect], optionId: option.optionId };
}

/** What reads the same is shown once. */
const isFirst = ({ effect, text }: Offer, at: number, all: readonly Offer[]): boolean =>
  all.findIndex((one) => one.effect === effect && one.text === text) === at;

type Lasting = keyof typeof ALWAYS;
const isLasting = (effect: Effect): effect is Lasting => effect in ALWAYS;

/** The agent's option that says the same for once. */
const onceFor = (offered: readonly acp.PermissionOption[], effect: Lasting): acp.PermissionOption | undefined =>
  offered.find(({ kind }) => kind === (effect === 'AllowAlways' ? 'allow_once' : 'reject_once'));

function countedIds(): (effect: Effect) => string {
  const seen = new Map<Effect, number>();
  return (effect) => {
    const count = (seen.get(effect) ?? 0) + 1;
    seen.set(effect, count);
    return count === 1 ? OPTION_ID[effect] : `${OPTION_ID[effect]}-${count}`;
  };
}

/** The agent's option for a yes or a no; a no that the agent did not offer is "cancelled". */
export function outcomeFor(choices: readonly Choice[], effects: readonly Effect[]): acp.RequestPermissionOutcome {
  const [choice] = effects.flatMap((effect) => choices.filter((one) => one.effect === effect && one.optionId));
  return choice?.optionId ? { outcome: 'selected', optionId: choice.optionId } : { outcome: 'cancelled' };
}

export const YES: readonly Effect[] = ['Allow', 'AllowAlways'];
export const NO: readonly Effect[] = ['Deny', 'DenyAlways'];

/** What a decision means: for the agent now, and for the same call later. */
export function verdict(choices: readonly Choice[], decision: Exclude<Decision, { state: 'open' }>) {
  const chosen = choices.find(({ id }) => id === decision.option);
  const allowed = decision.allowed && saysYes(chosen);
  const always = decision.state === 'answered' && (chosen?.effect.endsWith('Always') ?? false);
  const outcome: acp.RequestPermissionOutcome =
    chosen?.optionId !== undefined && saysYes(chosen) === allowed
      ? { outcome: 'selected', optionId: chosen.optionId }
      : outcomeFor(choices, allowed ? YES : NO);
  return { allowed, always, outcome };
}

const saysYes = (choice: Choice | undefined): boolean => choice?.effect.startsWith('Allow') ?? false;
