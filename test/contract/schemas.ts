/** Whether zod, with the rules' predicates, and the API server, with the CRDs, say the same of what they are sent. */

import { describe, expect, test } from 'vitest';
import { questionSpec } from '../../lib/api/question.ts';
import { questionRules } from '../../lib/api/question-rules.ts';
import { violations } from '../../lib/api/rule.ts';
import { sessionSpec } from '../../lib/api/session.ts';
import { sessionRules } from '../../lib/api/session-rules.ts';
import { ApiError } from '../../lib/kube/errors.ts';
import { CASES, type Case } from '../lib/api/cases.ts';
import { fc } from '../support/fast-check.ts';
import { questions, sessions } from './arbitraries.ts';
import { NAMESPACES } from './objects.ts';
import type { World } from './world.ts';

const NS = 'schemas';
const PARTS = {
  Session: { schema: sessionSpec, rules: sessionRules, plural: 'sessions' },
  Question: { schema: questionSpec, rules: questionRules, plural: 'questions' },
};
const asSent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** What is wrong with a row, as a client of the library sees it. */
function byLibrary({ kind, spec, old, name = 'x' }: Case): string[] {
  const { schema, rules } = PARTS[kind];
  const parsed = schema.safeParse(asSent(spec));
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const whole = (of: unknown) => ({ metadata: { name }, spec: of });
  const before = old && whole(schema.parse(asSent(old)));
  return violations(rules, whole(parsed.data), before).map(({ path, message }) => `${path}: ${message}`);
}

export function schemaCases(world: () => World): void {
  let n = 0;

  /** What the API server has against a row; nothing of it stays. */
  async function byServer({ kind, spec, old, name = 'x' }: Case): Promise<string> {
    const collection = `/apis/tiny.dev/v1alpha1/namespaces/${NS}/${PARTS[kind].plural}`;
    const body = (of: unknown, named: string) => ({
      apiVersion: 'tiny.dev/v1alpha1',
      kind,
      metadata: { name: named },
      spec: of,
    });
    try {
      if (!old) await world().admin.request('POST', `${collection}?dryRun=All`, body(spec, name));
      else await changed(collection, (of) => body(of, `old-${n++}`), { spec, old });
      return '';
    } catch (error) {
      if (error instanceof ApiError && [400, 422].includes(error.code)) return error.message;
      throw error;
    }
  }

  async function changed(
    collection: string,
    body: (of: unknown) => { metadata: { name: string } },
    { spec, old }: { spec: unknown; old: Record<string, unknown> },
  ) {
    const { answer, ...asked } = old;
    const made = body(asked);
    const path = `${collection}/${made.metadata.name}`;
    await world().admin.request('POST', collection, made);
    if (answer) await world().admin.request('PATCH', path, { spec: { answer } });
    const { metadata } = await world().admin.request<{ metadata: object }>('GET', path);
    await world().admin.request('PUT', `${path}?dryRun=All`, { ...made, metadata, spec });
  }

  const agree = async (row: Case) => {
    const [library, server] = [byLibrary(row), await byServer(row)];
    const words = `library: ${library.join('; ') || 'fine'}\nserver: ${server || 'fine'}\n${JSON.stringify(row).slice(0, 1000)}`;
    expect(library.length === 0, words).toBe(server === '');
    return server === '';
  };

  describe('library and API server agree', () => {
    test('on the project of the schemas', async () => {
      await world().admin.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } });
    });

    test.each(['Session', 'Question'] as const)('on every fixture of a %s', { timeout: 120_000 }, async (kind) => {
      const rows = CASES.filter((row) => row.kind === kind);
      for (let i = 0; i < rows.length; i += 8)
        await Promise.all(
          rows.slice(i, i + 8).map(async (row) => expect(await agree(row), `${row.what}`).toBe(row.ok)),
        );
    });

    test('on Sessions made up at random', async () => {
      await fc.assert(
        fc.asyncProperty(sessions, async (spec) => void (await agree({ what: '', kind: 'Session', spec, ok: true }))),
        { numRuns: 150 },
      );
    });

    test('on Questions made up at random', async () => {
      await fc.assert(
        fc.asyncProperty(questions, async (spec) => void (await agree({ what: '', kind: 'Question', spec, ok: true }))),
        { numRuns: 150 },
      );
    });

    test('on changes made up at random', async () => {
      const changes = fc
        .tuple(sessions, sessions)
        .filter(([old]) => byLibrary({ what: '', kind: 'Session', spec: old, ok: true }).length === 0);
      await fc.assert(
        fc.asyncProperty(
          changes,
          async ([old, spec]) => void (await agree({ what: '', kind: 'Session', old, spec, ok: true })),
        ),
        { numRuns: 40 },
      );
    });
  });
}
