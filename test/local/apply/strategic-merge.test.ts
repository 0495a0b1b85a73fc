import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtInKeys } from '../../../local/apply/list-keys.ts';
import { strategicMerge } from '../../../local/apply/merge.ts';

type Json = Record<string, unknown>;

/** What kube-apiserver 1.37.2 made of a Deployment by each patch. */
const { live, cases } = JSON.parse(
  readFileSync(new URL('fixtures/strategic-merge-1.37.json', import.meta.url), 'utf8'),
) as { live: Json; cases: { name: string; patch: Json; after: Json }[] };

describe('a strategic merge patch comes out as on kube-apiserver 1.37.2', () => {
  test.each(cases.map((each) => [each.name, each] as const))('%s', (_, { patch, after }) => {
    const before = structuredClone(live);
    expect(strategicMerge(live, patch, builtInKeys)).toEqual(after);
    expect(live).toEqual(before);
  });

  test.each(cases.map((each) => [each.name, each] as const))('%s, twice as once', (_, { patch }) => {
    const once = strategicMerge(live, patch, builtInKeys);
    expect(strategicMerge(once, patch, builtInKeys)).toEqual(once);
  });
});
