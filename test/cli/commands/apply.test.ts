import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../lib/kube/errors.ts';
import { CONFIG_MAPS, QUESTIONS } from '../../../lib/kube/types.ts';
import { makeHarness, question } from '../harness.ts';

const PROPOSAL = {
  kind: 'Apply' as const,
  toolCall: undefined,
  text: 'The log is too loud',
  apply: {
    objects: [
      {
        ...{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'demo', name: 'app' },
        fields: '{"data":{"app.yaml":"a: 1\\nb: 3\\n","level":"warn"}}',
      },
    ],
  },
};

function stage() {
  const harness = makeHarness();
  const app = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'app', namespace: 'demo' },
    data: { level: 'info', 'app.yaml': 'a: 1\nb: 2\n' },
  };
  harness.fake.put(CONFIG_MAPS, app);
  harness.fake.put(QUESTIONS, question('q1', PROPOSAL as never));
  const answer = () => harness.fake.read(QUESTIONS, { namespace: 'demo', name: 'q1' })?.spec.answer;
  return { ...harness, answer };
}

const forbidden = (request: string) => {
  if (request.startsWith('DRY RUN')) throw new ApiError(403, { reason: 'Forbidden', message: 'alice may not patch' });
};

describe('a proposal', () => {
  it('is shown whole, with what it would change for whoever looks', async () => {
    const { out } = await stage().tiny(['show', 'question/q1']);
    expect(out).toContain('ConfigMap demo/app:');
    expect(out).toContain('>   - data.level: "info"\n  >   + data.level: "warn"');
    expect(out).toContain('>   ~ data."app.yaml", from line 2:\n  >   -   b: 2\n  >   +   b: 3');
    expect(out).toContain('On yes ConfigMap demo/app is applied in your name.');
  });

  it('is answered with what was shown; the answer is bound to it', async () => {
    const { tiny, answer, fake } = stage();
    expect((await tiny(['y', 'q1'])).code).toBe(0);
    expect(answer()).toMatchObject({ option: 'allow', shown: [expect.stringMatching(/^[0-9a-f]{64}$/)] });
    expect(fake.requests.filter((request) => request.startsWith('APPLY'))).toEqual([]);
  });

  it('is answered no without being looked at', async () => {
    const { tiny, answer, fake } = stage();
    fake.fault = forbidden;
    expect((await tiny(['n', 'q1'])).code).toBe(0);
    expect(answer()?.option).toBe('deny');
    expect(answer()?.shown).toBeUndefined();
  });

  it('is not answered yes by who may not apply it, and that is said before', async () => {
    const { tiny, answer, fake } = stage();
    fake.fault = forbidden;
    const { code, err } = await tiny(['y', 'q1']);
    expect(code).toBe(1);
    expect(err).toContain("can't be applied in your name: alice may not patch");
    expect(answer()).toBeUndefined();
  });

  it('shows who may not see what it changes the objects alone, and why', async () => {
    const { tiny, fake } = stage();
    fake.fault = forbidden;
    const { out } = await tiny(['show', 'question/q1']);
    expect(out).toContain('What you would change can not be told:\n  > alice may not patch');
    expect(out).not.toContain('"info"');
  });

  it('on a terminal is shown before it is asked for', async () => {
    const { tiny, answer } = stage();
    const { err } = await tiny(['y', 'q1'], { terminal: true, stdin: 'n\n' });
    expect(err).toContain('+ data.level: "warn"');
    expect(answer()).toBeUndefined();
  });
});
