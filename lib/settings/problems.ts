/** What of a project's settings is not understood, in words that say what to do. Pure. */
import { settings } from './schema.ts';

export interface Problem {
  key: string;
  /** A sentence without its subject. */
  what: string;
}

/** In the order of the keys. */
export function problemsOf(data: Readonly<Record<string, string>>): Problem[] {
  const { error } = settings.safeParse(data);
  const unknown = Object.keys(data)
    .filter((key) => !(key in settings.shape))
    .map((key): Problem => ({ key, what: 'is no setting' }));
  const wrong = (error?.issues ?? [])
    .filter(({ path }) => path.length > 0)
    .map(({ path, message }): Problem => ({ key: String(path[0]), what: message }));
  return [...unknown, ...wrong].sort((a, b) => (a.key < b.key ? -1 : 1));
}
