/**
 * How old the word of whoever asked for a Session is, and until when functions act on it. A stamp stands for somebody
 * who is there: groups that they have left since, or a job that has ended, would otherwise be acted for without end.
 * Docs: decisions/old-stamps.md. Pure.
 */
import { toTimestamp } from '../api/conditions.ts';
import type { Session } from '../api/session.ts';
import { settingsOf } from '../api/settings-ref.ts';
import { CONFIG_MAPS, type ConfigMap } from '../kube/types.ts';
import type { Plan, Reading, Refusal } from '../plan.ts';
import { milliseconds } from './lifetime.ts';

/** Of projects and installations that say nothing. */
export const DEFAULT_MAX_AGE = '24h';
/** The least that settings can say: a younger stamp needs no look at them. Milliseconds. */
export const LEAST_MAX_AGE_MS = 3_600_000;
/** What a setting looks like: whole hours, at least one. */
export const MAX_AGE = /^[1-9][0-9]{0,4}h$/;

/** How far the clock of who touched a Session may be ahead of ours, in milliseconds. */
const TOLERANCE_MS = 120_000;

const touchedAt = ({ spec }: Session): number => (spec.touched ? Date.parse(spec.touched) : 0);

const isAhead = (session: Session, now: Date): boolean => touchedAt(session) > now.getTime() + TOLERANCE_MS;

/**
 * When a person last asked for it: as it was made, or as it was last touched. Whoever sets `spec.touched` is stamped anew,
 * so nobody prolongs another's stamp. A date to come does not count until then.
 */
export function askedAt(session: Session, now: Date): number {
  const created = Date.parse(session.metadata.creationTimestamp ?? '') || 0;
  return isAhead(session, now) ? created : Math.max(created, touchedAt(session));
}

/** The project's own maximum; `undefined` where it says none that is understood. */
export function maxAgeOf(settings: ConfigMap | undefined): string | undefined {
  const said = settings?.data?.['identity.maxAge']?.trim();
  return said && MAX_AGE.test(said) ? said : undefined;
}

/** What `within` makes of the maximum that holds: the project's own, read first, or else `maxAge`. */
export function withMaxAge(namespace: string | undefined, maxAge: string, within: (limit: string) => Plan): Plan {
  const reading: Reading = {
    type: CONFIG_MAPS,
    refs: [settingsOf(namespace)],
    plan: ([settings]) => within(maxAgeOf(settings) ?? maxAge),
  };
  return { ...within(maxAge), reading };
}

/** Whether what was asked at `asked` (milliseconds) is older than `maxAge`. */
export const isOlder = (asked: number, maxAge: string, now: Date): boolean =>
  now.getTime() - asked > milliseconds(maxAge);

/** In words that stay the same while it is so. */
export function expiredStamp(session: Session, maxAge: string, now: Date): Refusal {
  const { metadata, spec } = session;
  const who = spec.requester?.username ?? 'nobody';
  const ahead = isAhead(session, now) ? ' (spec.touched lies in the future, and does not count)' : '';
  const since = toTimestamp(new Date(askedAt(session, now)));
  return {
    reason: 'RequesterExpired',
    message: `${who} asked for this at ${since}${ahead}, and nothing is made in anybody's name for longer than ${maxAge} (setting identity.maxAge); \`tiny touch ${metadata.name}\` renews it`,
    passes: false,
  };
}
