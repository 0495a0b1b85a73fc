/** Ages as kubectl prints them: the two largest units while they are small, one once it says enough. Pure. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

type Unit = [size: number, letter: string];
/** Below `until` milliseconds an age is told in `unit`, and in `rest` too where there is one and it isn't 0. */
const STEPS: { until: number; unit: Unit; rest?: Unit }[] = [
  { until: 2 * MINUTE, unit: [SECOND, 's'] },
  { until: 10 * MINUTE, unit: [MINUTE, 'm'], rest: [SECOND, 's'] },
  { until: 3 * HOUR, unit: [MINUTE, 'm'] },
  { until: 8 * HOUR, unit: [HOUR, 'h'], rest: [MINUTE, 'm'] },
  { until: 2 * DAY, unit: [HOUR, 'h'] },
  { until: 8 * DAY, unit: [DAY, 'd'], rest: [HOUR, 'h'] },
  { until: 2 * YEAR, unit: [DAY, 'd'] },
  { until: 8 * YEAR, unit: [YEAR, 'y'], rest: [DAY, 'd'] },
  { until: Number.POSITIVE_INFINITY, unit: [YEAR, 'y'] },
];

/** `milliseconds` as `duration.HumanDuration` of k8s.io/apimachinery prints them. */
export function humanDuration(milliseconds: number): string {
  if (milliseconds < -SECOND) return '<invalid>';
  const ms = Math.max(0, milliseconds);
  const step = STEPS.find(({ until }) => ms < until);
  if (!step) return '<unknown>';
  const [size, letter] = step.unit;
  const text = `${Math.floor(ms / size)}${letter}`;
  const rest = step.rest ? Math.floor((ms % size) / step.rest[0]) : 0;
  return rest && step.rest ? `${text}${rest}${step.rest[1]}` : text;
}

/** The age of something made at `created`, `<unknown>` where that isn't known. */
export function age(created: string | undefined, now: Date): string {
  const at = created ? Date.parse(created) : Number.NaN;
  return Number.isNaN(at) ? '<unknown>' : humanDuration(now.getTime() - at);
}

/** How long until `at`: `in 5m`, or `expired` once it has passed. */
export function until(at: string, now: Date): string {
  const left = Date.parse(at) - now.getTime();
  return left < 0 ? 'expired' : `in ${humanDuration(left)}`;
}
