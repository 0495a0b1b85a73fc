/**
 * Applies what a person has said yes to, as that person. All objects are tried in a dry run first; then each is applied
 * in order, only where it changes what was shown. An object to which nothing is left to do passes: so a run that was
 * killed half-way is finished by the next, and a second one does nothing.
 */

import { settingsOf } from '../api/settings-ref.ts';
import { ApiError, isBadRequest, isConflict, isForbidden, isInvalid, isNotFound } from '../kube/errors.ts';
import { type Client, CONFIG_MAPS } from '../kube/types.ts';
import { despiteConflicts } from '../kube/version.ts';
import type { Applying, Refusal } from '../plan.ts';
import { accepts, notAllowed, type Settings } from './apply-allowed.ts';
import { applyOf, type Callers, type Looked, lookAtAll } from './apply-look.ts';
import { named, UnusableManifest } from './apply-manifest.ts';

/** How often it is looked at anew what was changed by somebody between the dry run and the apply. */
const ATTEMPTS = 4;

const refusal = (reason: string, message: string): Refusal => ({ reason, message, passes: false });

/** `undefined` once all is applied. Throws what may pass by itself; what was applied by then is found so at the next try. */
export async function applyProposal(applying: Applying, callers: Callers): Promise<Refusal | undefined> {
  const { proposal, namespace } = applying;
  const settings = await settingsIn(callers.own, namespace);
  const [never] = proposal.objects.flatMap((one) => notAllowed(one, namespace, settings) ?? []);
  if (never) return refusal('NotAllowed', never);
  const unwelcome = await notWelcome(applying, callers.own);
  if (unwelcome) return refusal('NotAllowed', unwelcome);
  const done: string[] = [];
  try {
    return await despiteConflicts(ATTEMPTS, () => once(applying, callers, done), passes);
  } catch (error) {
    return refusalOf(error, done);
  }
}

const settingsIn = async (own: Client, namespace: string): Promise<Settings | undefined> =>
  (await own.get(CONFIG_MAPS, settingsOf(namespace)))?.data;

/**
 * Which namespace has not said that this project's agents may propose objects for it; `undefined` where all have. Its own
 * administrators say so, not those of the project that asks: a yes there would be theirs to give.
 */
async function notWelcome({ proposal, namespace }: Applying, own: Client): Promise<string | undefined> {
  const others = new Set(proposal.objects.map((one) => one.namespace).filter((target) => target !== namespace));
  for (const target of others) {
    const settings = await settingsIn(own, target).catch((error: unknown) => {
      if (isForbidden(error)) return undefined;
      throw error;
    });
    if (!accepts(settings, namespace))
      return `namespace ${target} takes no proposals of agents of ${namespace}; its administrators allow them with apply.acceptFrom in its ConfigMap tiny-settings`;
  }
}

/** Another manager's fields are a conflict that stays; another version is one that passes. */
const isTaken = (error: unknown): error is ApiError =>
  isConflict(error) && error.status.details?.causes?.some(({ reason }) => reason === 'FieldManagerConflict') === true;

const passes = (error: unknown): boolean => isConflict(error) && !isTaken(error);

async function once(applying: Applying, callers: Callers, done: string[]): Promise<Refusal | undefined> {
  const { proposal, shown } = applying;
  const looked = await lookAtAll(callers, proposal);
  const other = looked.find(({ changes, digest }, index) => shown && changes.length > 0 && digest !== shown[index]);
  if (other) return refusal('Changed', changed(other, done));
  for (const one of looked.filter(({ changes }) => changes.length > 0)) {
    const { object, options } = applyOf(one, proposal);
    await callers.person.apply(one.type, object, options);
    done.push(named(one.manifest));
  }
  return undefined;
}

const changed = ({ manifest }: Looked, done: readonly string[]): string =>
  `${before(done)}${named(manifest)} has changed since it was shown, so that the yes was to something else; ${done.length ? 'nothing more' : 'nothing'} was applied, and it is for the agent to ask anew`;

const before = (done: readonly string[]): string => (done.length ? `applied: ${done.join(', ')}; then: ` : '');

/** Who lacks what, where it is the functions that may not. */
const hint = (message: string): string =>
  message.includes('impersonate-on:')
    ? ". Functions may not do this in anyone's name: an administrator of the cluster allows kinds by `tiny install --apply-kinds` (docs/apply.md)"
    : '';

function refusalOf(error: unknown, done: readonly string[]): Refusal {
  if (error instanceof UnusableManifest) return refusal('Invalid', before(done) + error.message);
  if (!(error instanceof ApiError)) throw error;
  const { message } = error;
  if (isForbidden(error)) return refusal('Forbidden', before(done) + message + hint(message));
  if (isTaken(error))
    return refusal('Conflict', `${before(done)}${message}. The agent may ask to take these fields over`);
  if (isInvalid(error) || isBadRequest(error) || isNotFound(error)) return refusal('Invalid', before(done) + message);
  throw error;
}
