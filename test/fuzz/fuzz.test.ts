import { describe, expect, test } from 'vitest';
import { makeChance } from '../../fuzz/chance.ts';
import { githubTargets } from '../../fuzz/github.ts';
import { intakeTargets } from '../../fuzz/intake.ts';
import { fuzz } from '../../fuzz/run.ts';
import { slackTargets } from '../../fuzz/slack.ts';
import { Broken, type Target } from '../../fuzz/target.ts';

describe('fuzzing', () => {
  test.each([...slackTargets, ...intakeTargets, ...githubTargets].map((target) => [target.name, target] as const))(
    'a little of %s finds nothing, and gets past the door',
    async (_, target) => {
      const { wrong, accepted, inputs } = await fuzz(target, 1500, 1);
      expect(wrong).toBeUndefined();
      expect(accepted).toBeGreaterThan(20);
      expect(accepted).toBeLessThan(inputs);
    },
  );

  test('stops at what is wrong, and says how to see it again', async () => {
    const target: Target = {
      name: 'x',
      holds: '',
      tryOne: (chance) => {
        if (chance.below(100) === 0) throw new Broken('zero');
        return { accepted: true };
      },
    };
    const { wrong, inputs } = await fuzz(target, 10_000, 5);
    expect(wrong).toBe(`Broken: zero (--seed ${4 + inputs})`);
    expect(makeChance(4 + inputs).below(100)).toBe(0);
  });
});
