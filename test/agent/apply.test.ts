import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAsking } from '../../agent/tools/asking.ts';
import { ownSession } from '../../agent/tools/own-session.ts';
import { makeQuestions } from '../../agent/tools/questions.ts';
import { apply, proposalOf } from '../../agent/tools/tool-apply.ts';
import type { Condition } from '../../lib/api/meta.ts';
import { type PretendedApi, pretendApi, SESSION_UID } from './pretended-api.ts';

const OBJECTS = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: app }\ndata: { level: warn }\n';
const DEPLOYMENT = '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":2}}';

let folder: string;
let api: PretendedApi;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'apply-'));
  api = pretendApi('s', { prompt: 'x', agent: { name: 'rehearsal' } });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The tool over a pretended API server; each Question is answered yes and acted on as `outcomes` say, one after the other. */
function proposer(outcomes: Partial<Condition>[]) {
  const { signal } = new AbortController();
  const sleep = async () => {
    const open = api.questions().find(({ spec }) => !spec.answer);
    const next = outcomes.shift();
    if (!open || !next) throw new Error('nothing is asked, or nothing answers');
    api.answer(open.metadata.name, { option: 'allow', by: { username: 'olga' } });
    const acted = { type: 'Acted', lastTransitionTime: '2026-11-30T12:00:00Z', message: '', ...next } as Condition;
    api.act(open.metadata.name, { conditions: [acted] });
  };
  const clock = { now: () => 0, random: () => 0, sleep };
  const identity = { namespace: 'p', session: 's', sessionUid: SESSION_UID, run: '', state: '' };
  const now = () => new Date(0);
  const questions = makeQuestions({ client: api.client, identity, session: ownSession(api.client, identity), now });
  const waiting = { see: () => {}, drop: () => {}, abandon: () => {}, reset: () => {} };
  const asking = makeAsking({ questions, waiting, folder, clock });
  const input = { objects: OBJECTS, reason: 'too loud' };
  return () => apply(asking, { input, namespace: 'p' }, { session: 's', now, signal, progress: () => {} });
}

const APPLIED = { status: 'True', reason: 'Applied', message: 'olga applied it' } as const;
const CHANGED = { status: 'False', reason: 'Changed' } as const;

describe('apply', () => {
  it('proposes the objects whole, and gives what was done', async () => {
    expect(await proposer([APPLIED])()).toBe('olga applied it');
    const [{ spec, metadata } = { spec: undefined, metadata: undefined }] = api.questions();
    expect(spec).toMatchObject({
      kind: 'Apply',
      apply: { objects: [{ kind: 'ConfigMap', namespace: 'p', name: 'app', fields: '{"data":{"level":"warn"}}' }] },
    });
    expect(spec?.text).toContain('ConfigMap p/app? It says: too loud');
    expect(metadata?.labels).not.toHaveProperty('tiny.dev/more-apply');
  });

  it('asks anew where something had changed by the time of the yes, and says so', async () => {
    expect(await proposer([CHANGED, CHANGED, APPLIED])()).toBe('olga applied it');
    const texts = api.questions().map(({ spec }) => spec.text.startsWith('Asked anew'));
    expect(texts).toEqual([false, true, true]);
  });

  it('finds what it asked anew again after a kill', async () => {
    await expect(proposer([CHANGED])()).rejects.toThrow('nothing answers');
    expect(api.questions()).toHaveLength(2);
    expect(await proposer([APPLIED])()).toBe('olga applied it');
    expect(api.questions()).toHaveLength(2);
  });

  it('gives up where it changes again and again', async () => {
    await expect(proposer(Array(9).fill(CHANGED))()).rejects.toThrow('had changed 5 times');
  });

  it('tells the agent why not', async () => {
    const forbidden = { status: 'False', reason: 'Forbidden', message: 'olga may not' } as const;
    await expect(proposer([forbidden])()).rejects.toThrow('Not applied (Forbidden): olga may not');
  });

  it('marks what settings must allow', async () => {
    const { objects } = proposalOf({ objects: DEPLOYMENT }, 'p');
    expect(objects).toMatchObject([{ apiVersion: 'apps/v1', fields: '{"spec":{"replicas":2}}' }]);
  });

  it.each([
    ['nothing', '', 'propose 1 to 16 objects'],
    ['no YAML', '{a', 'no YAML'],
    ['words', 'delete everything', 'no Kubernetes object'],
    ['an object without a name', 'apiVersion: v1\nkind: ConfigMap', 'lacks'],
    ['the same twice', `${OBJECTS}---\n${OBJECTS}`, 'stands there twice'],
    ['too many', Array.from({ length: 17 }, (_, at) => OBJECTS.replace('app', `a${at}`)).join('---\n'), '1 to 16'],
    ['one that is too long', OBJECTS.replace('warn', 'x'.repeat(40_000)), 'fields'],
    [
      'a bomb of aliases',
      `a: &a [${'x,'.repeat(9)}x]\nb: &b [${'*a,'.repeat(99)}*a]\nc: [${'*b,'.repeat(99)}*b]`,
      'Excessive alias',
    ],
  ])('refuses %s', (_what, objects, words) => {
    expect(() => proposalOf({ objects }, 'p')).toThrow(words);
  });

  it('takes a list for its items', () => {
    const both = `[${DEPLOYMENT}, ${DEPLOYMENT.replace('"d"', '"e"')}]`;
    expect(proposalOf({ objects: both, force: true }, 'p')).toMatchObject({
      objects: [{ name: 'd' }, { name: 'e' }],
      force: true,
    });
  });
});
