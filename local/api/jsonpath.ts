/** The part of JSONPath that tiny's printer columns and selectable fields use: fields, `[*]` and `[?(@.a=="b")]`. */
type Json = Record<string, unknown>;

const TOKEN = /\.([^.[\]]+)|\[(\*)\]|\[\?\(@\.(\w+)\s*==\s*"([^"]*)"\)\]/g;

/** All values at `path`. */
export function find(object: unknown, path: string): unknown[] {
  const steps = [...path.matchAll(TOKEN)];
  return steps.reduce((values, step) => values.flatMap((value) => next(value, step)), [object]);
}

/** The first value at `path`. */
export const first = (object: unknown, path: string): unknown => find(object, path)[0];

function next(value: unknown, [, name, every, field = '', wanted]: RegExpMatchArray): unknown[] {
  if (name !== undefined) {
    const found = (value as Json)[name] ?? undefined;
    return found === undefined ? [] : [found];
  }
  const items = Array.isArray(value) ? value : [];
  return every ? items : items.filter((item: Json) => item[field] === wanted);
}
