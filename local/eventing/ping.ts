/** PingSource: the same data on a schedule. Of cron, `*` and steps of it in the minutes are read, which is what tiny uses. */
import { randomUUID } from 'node:crypto';
import type { Stored } from '../../lib/api/meta.ts';
import { type Part, sleep, startPart, type World } from '../controllers/loop.ts';
import type { Send } from './faults.ts';
import type { PingSource } from './kinds.ts';

const MINUTE = 60_000;

/** Every how many minutes of the hour, or `undefined` for a schedule that the stand-in does not read. */
export function minutesOf(schedule: string): number | undefined {
  const [, every = '1'] = /^\*(?:\/(\d+))? \* \* \* \*$/.exec(schedule.trim()) ?? [undefined, '0'];
  const minutes = Number(every);
  return minutes >= 1 && minutes <= 59 ? minutes : undefined;
}

/** Milliseconds from `now` to the next full minute that `minutes` divides; each hour counts anew, as in cron. */
export function untilNext(minutes: number, now: Date): number {
  const [minute, within] = [now.getUTCMinutes(), now.getTime() % MINUTE];
  return Math.min(minutes - (minute % minutes), 60 - minute) * MINUTE - within;
}

/** What the stand-in does not do of a source's spec. */
export const pingProblem = ({ spec }: PingSource): string | undefined =>
  minutesOf(spec.schedule) === undefined
    ? `the stand-in reads schedules such as "*/5 * * * *", not ${JSON.stringify(spec.schedule)}`
    : undefined;

/** Runs until stopped. */
export function startPing({ metadata, spec }: Stored<PingSource>, send: Send, { now }: Pick<World, 'now'>): Part {
  const source = `/apis/v1/namespaces/${metadata.namespace}/pingsources/${metadata.name}`;
  const { contentType = 'application/json', data: body = '' } = spec;
  return startPart(async (signal) => {
    for (;;) {
      await sleep(untilNext(minutesOf(spec.schedule) ?? 1, now()), signal);
      if (signal.aborted) return;
      const what = { specversion: '1.0', id: randomUUID(), type: 'dev.knative.sources.ping', source };
      await send({ attributes: { ...what, time: now().toISOString() }, contentType, body });
    }
  });
}
