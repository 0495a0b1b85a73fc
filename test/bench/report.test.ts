import { expect, test } from 'vitest';
import { asJson, asText } from '../../bench/report.ts';
import { spread } from '../../bench/statistics.ts';

const MACHINE = { cores: 2, node: '24.0.0' };
const RESULT = { ratio: 1.8765, figures: { start: spread([81.234, 70, 1234.56], 'ms'), requests: 6 }, wrong: [] };

test('JSON is one object with name, ratio, machine and figures', () => {
  expect(JSON.parse(asJson('cold-start', MACHINE, RESULT))).toEqual({
    name: 'cold-start',
    ratio: 1.88,
    cores: 2,
    node: '24.0.0',
    figures: { start: { median: 81.2, min: 70, max: 1235, runs: 3, unit: 'ms' }, requests: 6 },
    wrong: [],
  });
});

test('JSON has no ratio where there is none', () => {
  expect(JSON.parse(asJson('x', MACHINE, { figures: {}, wrong: ['7 requests'] }))).toEqual({
    name: 'x',
    ...MACHINE,
    figures: {},
    wrong: ['7 requests'],
  });
});

test('a person reads the machine, a figure a line, the ratio, and what is wrong', () => {
  expect(asText('cold-start', MACHINE, { ...RESULT, wrong: ['7 requests, not 6'] }).split('\n')).toEqual([
    'cold-start  (2 cores, Node 24.0.0)',
    '  start     81.2 ms  (70 – 1235, 3 runs)',
    '  requests  6',
    '  ratio     1.88',
    '  wrong: 7 requests, not 6',
  ]);
});
