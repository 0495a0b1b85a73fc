/** The filters of a Trigger (`spec.filters`): of the CloudEvents Subscriptions API the dialects that tiny uses. */
type Attributes = Record<string, string>;

/** One dialect a filter. */
export interface Filter {
  all?: Filter[];
  not?: Filter;
  exact?: Attributes;
  suffix?: Attributes;
}

const DIALECTS = ['all', 'not', 'exact', 'suffix'];

/** Why a filter can't be served; `undefined` where it can. */
export function filterProblem(filter: Filter): string | undefined {
  const other = Object.keys(filter).find((key) => !DIALECTS.includes(key));
  if (other) return `the stand-in does not read the filter dialect ${other}`;
  return [...(filter.all ?? []), ...(filter.not ? [filter.not] : [])].map(filterProblem).find(Boolean);
}

/** Whether attributes pass. */
export function fits({ all = [], not, exact = {}, suffix = {} }: Filter, attributes: Attributes): boolean {
  return (
    all.every((filter) => fits(filter, attributes)) &&
    (!not || !fits(not, attributes)) &&
    Object.entries(exact).every(([name, value]) => attributes[name] === value) &&
    Object.entries(suffix).every(([name, end]) => attributes[name]?.endsWith(end))
  );
}
