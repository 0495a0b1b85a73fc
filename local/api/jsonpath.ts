/** The part of JSONPath that printer columns and selectable fields use: fields, indexes, `[*]` and `[?(@.a=="b")]`. */

type Step = (value: unknown) => unknown[];

const TOKEN =
  /\.((?:\\.|[^.[\]\\])+)|\['([^']+)'\]|\[(\d+)\]|\[(\*)\]|\[\?\(@((?:\.[\w-]+)+)\s*==\s*["']([^"']*)["']\)\]/y;

/** All values at `path`. A path that can't be read gives none. */
export function find(object: unknown, path: string): unknown[] {
  const steps = parse(path);
  return steps ? steps.reduce((values, step) => values.flatMap(step), [object]) : [];
}

/** The first value at `path`. */
export const first = (object: unknown, path: string): unknown => find(object, path)[0];

function parse(path: string): Step[] | undefined {
  const text = path.startsWith('.') || path.startsWith('[') ? path : `.${path}`;
  const steps: Step[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text);
    if (!token) return undefined;
    steps.push(stepOf(token));
  }
  return steps;
}

function stepOf([, plain, quoted, index, every, filter, wanted]: RegExpExecArray): Step {
  const name = plain?.replace(/\\(.)/g, '$1') ?? quoted;
  if (name !== undefined) return (value) => present((value as Record<string, unknown> | undefined)?.[name]);
  if (index !== undefined) return (value) => present(items(value)[Number(index)]);
  if (every) return items;
  return (value) => items(value).filter((item) => String(first(item, filter ?? '')) === wanted);
}

const present = (value: unknown): unknown[] => (value === undefined || value === null ? [] : [value]);
const items = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
