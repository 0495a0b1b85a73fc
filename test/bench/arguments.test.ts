import { describe, expect, test } from 'vitest';
import { parseArguments, UsageError } from '../../bench/arguments.ts';

const DEFAULTS = { json: false, demo: false, test: false, engine: 'stand-in' };

test('nothing asks for the list', () => {
  expect(parseArguments([])).toEqual(DEFAULTS);
});

test('flags may stand before and after the name', () => {
  expect(parseArguments(['--json', 'up', '--demo', '--runs', '3', '--test', '--engine=kubernetes'])).toEqual({
    name: 'up',
    json: true,
    demo: true,
    test: true,
    runs: 3,
    engine: 'kubernetes',
  });
});

describe('is refused', () => {
  test.each([
    [['up', '--runs', '0'], '--runs takes a number from 1, not 0'],
    [['up', '--runs', '2.5'], '--runs takes a number from 1, not 2.5'],
    [['up', '--runs', 'many'], '--runs takes a number from 1, not many'],
    [['up', 'materialise'], 'one measurement at a time, not also materialise'],
    [['up', '--fast'], "Unknown option '--fast'"],
  ])('%j', (args, message) => {
    const parse = () => parseArguments(args);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(message);
  });
});
