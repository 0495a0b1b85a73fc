/**
 * Whether a live object still says all that it was made with. What the API server and its controllers added beside it
 * does not matter. A false "no" costs an apply that changes nothing; a false "yes" leaves an edit where it is.
 */
type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** Lists of objects with names are maps to Kubernetes: containers, volumes, variables; others are compared in order. */
const isNamed = (list: readonly unknown[]): list is { name: string }[] =>
  list.length > 0 && list.every((item) => isObject(item) && typeof item['name'] === 'string');

function coversList(wanted: readonly unknown[], live: unknown): boolean {
  if (!Array.isArray(live)) return wanted.length === 0;
  if (isNamed(wanted)) {
    return wanted.every((item) =>
      live.some((one: unknown) => isObject(one) && one['name'] === item.name && covers(item, one)),
    );
  }
  return wanted.length === live.length && wanted.every((item, index) => covers(item, live[index]));
}

const SUFFIX: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The API server writes a quantity in its own form: `1000m` comes back as `1`. */
function quantity(text: string): number | undefined {
  const [, digits, suffix = ''] = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]{0,2})$/.exec(text) ?? [];
  const factor = SUFFIX[suffix];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

function sameText(wanted: string, live: unknown): boolean {
  if (typeof live !== 'string' && typeof live !== 'number') return false;
  if (wanted === String(live)) return true;
  const [a, b] = [quantity(wanted), quantity(String(live))];
  return a !== undefined && a === b;
}

/** Whether `live` says all that `wanted` says. */
export function covers(wanted: unknown, live: unknown): boolean {
  if (isEmpty(wanted)) return true;
  if (Array.isArray(wanted)) return coversList(wanted, live);
  if (isObject(wanted))
    return isObject(live) && Object.entries(wanted).every(([key, value]) => covers(value, live[key]));
  if (typeof wanted === 'string') return sameText(wanted, live);
  // A zero, a no and nothing are the same where a field has no default.
  if (wanted === false && live === undefined) return true;
  return wanted === live;
}
