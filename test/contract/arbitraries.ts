/** Specs made up at random: mostly good, so that what is wrong with one is one thing. */
import fc from 'fast-check';
import { ASK, FORM_URLS, GOOD_URLS, METADATA_URLS } from '../lib/api/cases.ts';

/** Mostly good, sometimes not, sometimes left out. */
const some = <T>(good: fc.Arbitrary<T>, ...bad: unknown[]) =>
  fc.option(
    fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: fc.constantFrom(...(bad.length ? bad : [7])) }),
    {
      nil: undefined,
      freq: 3,
    },
  );
const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
);
const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?$/);
const duration = fc.constantFrom('90s', '1h30m', '0s', '15m');
const url = fc.constantFrom(...GOOD_URLS);

const agent = fc.record({
  name: some(fc.constantFrom('codex', 'rehearsal'), 'other', '', 3),
  image: some(text, '', 1),
  command: some(fc.array(text, { maxLength: 3 }), [''], 'sh'),
  model: some(text, ''),
  env: some(
    fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[A-Z_]{1,6}$/), value: text }), {
      selector: ({ name }) => name,
      maxLength: 3,
    }),
    [{ name: '1', value: '' }],
  ),
});
const request = {
  agent: some(agent, 'codex'),
  repository: some(
    fc.record({ url, ref: some(label, '-x'), depth: some(fc.nat(9), -1, 1.5), credentialsSecret: some(label, 'A') }),
    { url: FORM_URLS[0] },
    { url: METADATA_URLS[0] },
    {},
  ),
  credentials: some(
    fc.uniqueArray(fc.record({ secret: label }), { selector: ({ secret }) => secret, maxLength: 3 }),
    [{}],
    [{ secret: '' }],
  ),
  storage: some(
    fc.record({
      size: some(fc.constantFrom('1Gi', '500M'), '-1', 5),
      retain: some(fc.boolean(), 'yes'),
      accessMode: some(fc.constantFrom('ReadWriteMany'), 'Any'),
    }),
    3,
  ),
  approvals: some(
    fc.record({
      allow: some(fc.subarray(['read', 'edit', 'execute', 'run']), ['eat']),
      commands: some(fc.subarray(['git status', 'npm run *', 'make test:*']), ['a;b'], ['*'], ['']),
    }),
  ),
  budget: some(
    fc.record({
      tokens: some(fc.nat(9), -1, '1'),
      cost: some(fc.record({ amount: fc.constantFrom('1', '2.50'), currency: some(fc.constant('USD'), '$') }), 5),
    }),
  ),
  idle: some(fc.record({ suspendAfter: some(duration, '1d'), finishAfter: some(duration, '') })),
  deadline: some(duration, 'soon', 5),
  ttlAfterFinished: some(duration, '5'),
  network: some(
    fc.record({
      egress: some(
        fc.array(
          fc.record({
            cidr: fc.constantFrom('10.0.0.0/8', '::/0'),
            ports: some(fc.array(fc.integer({ min: 1, max: 65535 }), { maxLength: 2 }), [0]),
          }),
          { maxLength: 2 },
        ),
        [{ cidr: 'x' }],
      ),
    }),
  ),
};
const compact = (value: Record<string, unknown>): Record<string, unknown> => JSON.parse(JSON.stringify(value));
export const sessions = fc
  .record({
    prompt: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom('p', 'q') },
      { weight: 1, arbitrary: fc.constantFrom('', 7) },
    ),
    ...request,
    suspend: some(fc.boolean(), 'no'),
    messages: some(fc.uniqueArray(fc.record({ id: label, text }), { selector: ({ id }) => id, maxLength: 2 }), [
      { id: 'm' },
    ]),
    parent: some(label, 'A'),
    touched: some(fc.constant('2026-11-30T12:00:00Z'), 'now'),
  })
  .map(compact);
const options = fc.uniqueArray(
  fc.record({
    id: fc.oneof(label, fc.constantFrom('allow', 'allow-2', 'deny', 'deny-2')),
    text,
    effect: some(fc.constantFrom('Allow', 'Deny'), 'Maybe'),
  }),
  { selector: ({ id }) => id, maxLength: 3 },
);
export const questions = fc
  .record({
    ...Object.fromEntries(Object.entries(ASK).map(([key, value]) => [key, fc.constant(value)])),
    kind: fc.constantFrom('Ask', 'Permit', 'Spawn'),
    options: some(options, [{ id: 'a' }]),
    expiresAt: some(fc.constant('2026-11-30T12:00:00Z'), 'later'),
    defaultOption: some(label, 'A'),
    toolCall: some(fc.record({ id: text, title: text, kind: some(fc.constantFrom('edit', 'read'), 'eat') }), {}),
    spawn: some(fc.record({ name: label, spec: fc.record({ prompt: text, ...request }) }), { name: 'x' }),
    answer: some(fc.constant(undefined), { option: 'a' }),
  })
  .map(compact);
