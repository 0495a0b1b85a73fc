/** Which entries are new enough, from a duration or a time. Pure. */
import { milliseconds } from '../../lib/session/lifetime.ts';
import { UsageError } from '../failure.ts';
import { safeLine } from '../output/safe.ts';
import type { Item } from './items.ts';

/** Tells whether an item is newer than `since`; other output than entries has no time, and counts as new. */
export function parseSince(since: string | undefined, now: Date): (item: Item) => boolean {
  if (since === undefined) return () => true;
  const from = /^([0-9]+[hms])+$/.test(since) ? now.getTime() - milliseconds(since) : timeOf(since);
  if (!Number.isNaN(from)) return ({ entry }) => entry === undefined || Date.parse(entry.at) >= from;
  throw new UsageError(
    `--since "${safeLine(since)}" must be a duration such as 10m, or a time such as 2026-11-30T12:00:00Z`,
  );
}

/** Of a whole date or time; a bare number is none. */
const timeOf = (text: string): number => (/^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN);
