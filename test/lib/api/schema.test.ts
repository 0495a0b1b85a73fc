import { describe, expect, test } from 'vitest';
import { type Question, questionSpec } from '../../../lib/api/question.ts';
import { questionRules } from '../../../lib/api/question-rules.ts';
import { violations } from '../../../lib/api/rule.ts';
import { type Session, sessionSpec } from '../../../lib/api/session.ts';
import { sessionRules } from '../../../lib/api/session-rules.ts';
import { fc } from '../../support/fast-check.ts';
import { makeQuestion, makeSession } from '../../support/objects.ts';
import { CASES, type Case } from './cases.ts';

const PARTS = {
  Session: { schema: sessionSpec, rules: sessionRules },
  Question: { schema: questionSpec, rules: questionRules },
};

/** What is wrong with a row, as a client of this library sees it. */
function problems({ kind, spec, old, name = 'x' }: Case): string[] {
  const { schema, rules } = PARTS[kind];
  const parsed = schema.safeParse(JSON.parse(JSON.stringify(spec)));
  if (!parsed.success) return parsed.error.issues.map(({ path }) => path.join('.'));
  const whole = (of: unknown) => ({ metadata: { name }, spec: of });
  const before = old && whole(schema.parse(JSON.parse(JSON.stringify(old))));
  return violations(rules, whole(parsed.data), before).map(({ path, message }) => `${path}: ${message}`);
}

describe.each(['Session', 'Question'] as const)('a %s', (kind) => {
  test.each(CASES.filter((row) => row.kind === kind))('$what: $ok', (row) => {
    expect(problems(row).length === 0, problems(row).join('; ')).toBe(row.ok);
  });
});

test('a limit on text counts characters as the API server does, not UTF-16 units', () => {
  const messages = (length: number) => ({ prompt: 'p', messages: [{ id: 'm', text: '😀'.repeat(length) }] });
  expect(sessionSpec.safeParse(messages(16384)).success).toBe(true);
  expect(sessionSpec.safeParse(messages(16385)).success).toBe(false);
});

test('what a Session leaves out is filled in', () => {
  expect(sessionSpec.parse({ prompt: 'p' })).toEqual({
    prompt: 'p',
    agent: { name: 'claude-code' },
    storage: { size: '10Gi', accessMode: 'ReadWriteOnce', retain: false },
    approvals: { allow: ['read', 'search', 'think'] },
    idle: { finishAfter: '0s', stalledAfter: '1h' },
    suspend: false,
  });
});

test('a field that nobody knows is dropped, a key of the prototype too', () => {
  const spec = sessionSpec.parse(JSON.parse('{"prompt":"p","__proto__":{"suspend":true},"constructor":1,"other":1}'));
  expect(Object.keys(spec)).not.toContain('other');
  expect(spec.suspend).toBe(false);
  expect({}).not.toHaveProperty('suspend');
});

describe('a violation says what to do', () => {
  const words = (rules: typeof sessionRules, object: object, old?: object) =>
    violations(rules, object, old).map(({ path, message }) => `${path}: ${message}`);

  test('of a name', () => {
    const [told] = words(sessionRules, makeSession({ metadata: { name: 'a'.repeat(41) } }));
    expect(told).toMatch(/^: a Session's name must be a DNS label of at most 40 characters/);
  });

  test('of a prompt that is too long', () => {
    const session = makeSession();
    session.spec.prompt = 'ä'.repeat(128 * 1024 + 1);
    expect(words(sessionRules, session)).toEqual([
      'spec.prompt: must be at most 262144 bytes; put longer text into a file of the repository and refer to it',
    ]);
  });

  test('of a second answer', () => {
    const answered = makeQuestion({ spec: { answer: { option: 'allow' } } });
    const other = makeQuestion({ spec: { answer: { option: 'deny' } } });
    expect(words(questionRules, other, answered)).toEqual([
      'spec: the Question has been answered already, and an answer stays: see spec.answer.by',
    ]);
  });

  test('one for each rule that is broken', () => {
    const before = makeSession({ spec: { parent: 'p' } });
    const after = makeSession({ spec: { prompt: 'other', agent: { name: 'codex' } } });
    expect(words(sessionRules, after, before)).toHaveLength(3);
  });
});

test('a Question whose keys come back in another order is not taken for changed', () => {
  const before = makeQuestion();
  const { spec, name } = before.spec.spawn ?? {};
  const after = { ...before, spec: { ...before.spec, spawn: { spec, name }, answer: { option: 'allow' } } };
  expect(violations(questionRules, after, before)).toEqual([]);
});

test('whatever a Session becomes, the prompt it was made with stays', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (prompt, other) => {
      const before: Session = makeSession({ spec: { prompt } });
      const after: Session = makeSession({ spec: { prompt: other } });
      expect(violations(sessionRules, after, before).length === 0).toBe(prompt === other);
    }),
  );
});

test('no change but an answer is ever let through on a Question', () => {
  const field = fc.constantFrom(
    'session',
    'kind',
    'text',
    'options',
    'expiresAt',
    'defaultOption',
    'toolCall',
    'spawn',
  );
  fc.assert(
    fc.property(field, fc.jsonValue(), (key, value) => {
      const before: Question = makeQuestion();
      const after = { ...before, spec: { ...before.spec, [key]: value } };
      fc.pre(JSON.stringify(after) !== JSON.stringify(before));
      const asked = "what was asked can't be changed: only the answer can be set, once";
      const [{ rules = [] } = {}] = questionRules.filter(({ path }) => path === 'spec');
      const rule = rules.find(({ message }) => message === asked);
      expect(rule?.holds(after.spec, before.spec)).toBe(false);
    }),
  );
});
