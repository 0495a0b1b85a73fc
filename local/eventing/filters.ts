/** The filters of a Trigger (`spec.filters`), as far as the stand-in reads them: no CloudEvents SQL. */
type Attributes = Record<string, string>;

/** One dialect a filter, as in the CloudEvents Subscriptions API. */
export interface Filter {
  all?: Filter[];
  any?: Filter[];
  not?: Filter;
  exact?: Attributes;
  prefix?: Attributes;
  suffix?: Attributes;
}

const DIALECTS = ['all', 'any', 'not', 'exact', 'prefix', 'suffix'];

/** Why a filter can't be served; `undefined` where it can. */
export function filterProblem(filter: Filter): string | undefined {
  const [other] = Object.keys(filter).filter((key) => !DIALECTS.includes(key));
  if (other) return `the stand-in does not read the filter dialect ${other}`;
  const inner = [...(filter.all ?? []), ...(filter.any ?? []), ...(filter.not ? [filter.not] : [])];
  return inner.map(filterProblem).find(Boolean);
}

/** Whether attributes pass. */
export function fits({ all, any, not, exact, prefix, suffix }: Filter, attributes: Attributes): boolean {
  const each = (wanted: Attributes = {}, test: (value: string, part: string) => boolean) =>
    Object.entries(wanted).every(([name, part]) => test(attributes[name] ?? '', part));
  return (
    (all ?? []).every((filter) => fits(filter, attributes)) &&
    (!any || any.some((filter) => fits(filter, attributes))) &&
    (!not || !fits(not, attributes)) &&
    each(exact, (value, part) => value === part) &&
    each(prefix, (value, part) => value.startsWith(part)) &&
    each(suffix, (value, part) => value.endsWith(part))
  );
}
