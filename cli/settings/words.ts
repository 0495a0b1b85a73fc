/** What a person types and reads of settings. Pure. */
import { problemsOf } from '../../lib/settings/problems.ts';
import { DESCRIBED, type Described, KEYS } from '../../lib/settings/schema.ts';
import { UsageError } from '../failure.ts';
import { didYouMean } from '../text/near.ts';

const described = (key: string): Described | undefined => DESCRIBED.find((one) => one.key === key);

/** The key. Throws where there is none of that name. */
export function knownKey(key: string): Described {
  const found = described(key);
  if (found) return found;
  throw new UsageError(`there is no setting "${key}"`, didYouMean(key, KEYS), '`tiny settings` lists them.');
}

/** Of a list, commas are as good as lines. */
function written({ format }: Described, text: string): string {
  if (format !== 'lines') return text;
  const entries = text.split(/[\n,]/).map((entry) => entry.trim());
  return entries.filter(Boolean).join('\n');
}

/** `KEY=VALUE` as a change. Throws `UsageError` for what can't be set. */
export function assignment(text: string): [key: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1)
    throw new UsageError(`"${text}" is not KEY=VALUE`, 'For example: tiny settings set answerers.users=alice,bob');
  const about = knownKey(text.slice(0, at));
  const value = written(about, text.slice(at + 1));
  const [problem] = problemsOf({ [about.key]: value });
  if (problem) throw new UsageError(`${problem.key} ${problem.what}, not ${JSON.stringify(value)}`);
  return [about.key, value];
}

export interface Row {
  key: string;
  /** `undefined`: not set. */
  value: string | undefined;
  /** What holds, in words. */
  holds: string;
  problem: string | undefined;
  meaning: string;
}

const oneLine = (value: string): string => value.trim().split('\n').join(', ');

/** Every known key, then what is there and nobody understands. */
export function rowsOf(data: Readonly<Record<string, string>>): Row[] {
  const problems = new Map(problemsOf(data).map(({ key, what }) => [key, what]));
  const known = DESCRIBED.filter(({ key }) => key !== 'about.txt').map(({ key, absent, description }): Row => {
    const value = data[key];
    return {
      key,
      value,
      holds: value === undefined ? absent : oneLine(value),
      problem: problems.get(key),
      meaning: description,
    };
  });
  const unknown = Object.keys(data)
    .filter((key) => !described(key))
    .map(
      (key): Row => ({
        key,
        value: data[key],
        holds: 'nothing',
        problem: problems.get(key),
        meaning: didYouMean(key, KEYS),
      }),
    );
  return [...known, ...unknown];
}
