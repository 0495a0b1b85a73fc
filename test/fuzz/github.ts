/**
 * Inputs for function github that nobody has thought of: deliveries whose bytes, signature, headers or content were changed,
 * and texts for what reads them. Nothing may crash; nothing without a valid signature may be taken; nothing hidden may stay.
 */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { readDelivery, UnreadableDelivery } from '../../lib/github/delivery.ts';
import { promptOf } from '../../lib/github/prompt.ts';
import { signedText } from '../../lib/github/signature.ts';
import { commandIn, fenced, visible } from '../../lib/github/text.ts';
import { ALICE, issueOf, REPOSITORY } from '../lib/github/fake-github.ts';

const SECRETS = ['first secret', 'second secret'];
const EVENTS = [
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'push',
  '',
];
const ACTIONS = ['labeled', 'created', 'submitted', 'edited', 'deleted', 'constructor', '__proto__'];

const sign = (body: Buffer, secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

const words = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('/tiny', '/tiny go', '/tiny\r\ngo', '<!--', '-->', '\u200b', '\u202e', '```', '@all'),
);
const text = fc.array(words, { maxLength: 8 }).map((all) => all.join(''));

/** A payload with everything that any event has, and then with some of it changed for anything at all. */
const payload = fc
  .record({
    action: fc.constantFrom(...ACTIONS),
    title: text,
    body: fc.option(text),
    said: fc.option(text),
    type: fc.constantFrom('User', 'Bot', 'Organization'),
    changed: fc.dictionary(
      fc.constantFrom('issue', 'comment', 'sender', 'repository', 'label', 'pull_request', 'review'),
      fc.jsonValue(),
      { maxKeys: 2 },
    ),
  })
  .map(({ action, title, body, said, type, changed }) => {
    const at = '2026-11-30T12:00:00Z';
    const spoken = { id: 7, body: said, user: ALICE, author_association: 'MEMBER', created_at: at, submitted_at: at };
    const branch = { ref: title, repo: { id: 42 } };
    const about = issueOf({ title, body });
    return {
      ...{ action, repository: REPOSITORY, sender: { ...ALICE, type }, issue: about, label: { name: 'tiny' } },
      ...{ comment: { ...spoken, path: title, line: 1, diff_hunk: title }, review: spoken },
      pull_request: { ...about, head: branch, base: branch },
      ...changed,
    };
  });

const hidden = /<!--|\r|[\u200b-\u200f\u202a-\u202e\u{e0000}-\u{e007f}]/u;

function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/** Whatever was signed is read, or refused in one way. */
function read(event: string, body: string): void {
  try {
    const delivered = readDelivery(event, body);
    if ('ignored' in delivered) return;
    const { act } = delivered;
    check(!hidden.test(act.title + act.body + act.said), 'something hidden is left in what an agent gets');
    check(act.label !== undefined || act.key !== 'label', 'an act without a name');
    check(
      promptOf(act).startsWith(`${act.repository.name}#${act.number}\n`),
      'a prompt that does not begin with its issue',
    );
  } catch (error) {
    if (!(error instanceof UnreadableDelivery)) throw error;
  }
}

const deliveries = fc.asyncProperty(
  fc.record({
    payload: fc.oneof(payload, fc.jsonValue()),
    event: fc.constantFrom(...EVENTS),
    secret: fc.constantFrom(...SECRETS, 'another', ''),
  }),
  fc.record({
    at: fc.nat(),
    byte: fc.integer({ min: 1, max: 255 }),
    flips: fc.boolean(),
    header: fc.option(fc.string(), { freq: 1 }),
  }),
  async ({ payload: content, event, secret }, { at, byte, flips, header }) => {
    const signed = Buffer.from(JSON.stringify(content));
    const signature = header ?? sign(signed, secret || 'none');
    const body = Buffer.from(signed);
    if (flips) body[at % body.length] = (body[at % body.length] ?? 0) ^ byte;
    const taken = await signedText(body, signature, SECRETS);
    const valid = !flips && header === null && SECRETS.includes(secret);
    check((taken !== undefined) === valid, valid ? 'a signed delivery was refused' : 'an unsigned delivery was taken');
    if (taken !== undefined) read(event, taken);
    read(event, JSON.stringify(content));
  },
);

const texts = fc.property(text, (of) => {
  check(!hidden.test(visible(of)), 'something hidden is left');
  const command = commandIn(of);
  check(command === undefined || visible(of).trim().startsWith('/tiny'), 'a command that is none');
  const inside = fenced(of).split('\n').slice(1, -1).join('\n');
  const [fence = ''] = /^`+/.exec(fenced(of)) ?? [];
  check(inside === of && !of.includes(fence), 'a text that ends its own block');
});

/** How many inputs were tried. Throws at the first that is wrong, with how to try it again. */
export async function fuzzGitHub(inputs: number, seed: number): Promise<number> {
  const half = Math.ceil(inputs / 2);
  await fc.assert(deliveries, { numRuns: half, seed });
  fc.assert(texts, { numRuns: half, seed });
  return half * 2;
}
