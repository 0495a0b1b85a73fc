/** What other trackers send, and the files that say who people are. */
import { createHmac } from 'node:crypto';
import { parseIdentities, UnusableIdentities, whoIs } from '../lib/identity/mapping.ts';
import { isSigned } from '../lib/intake/intake.ts';
import { parseProjects, UnusableProjects } from '../lib/intake/projects.ts';
import type { Chance } from './chance.ts';
import { mutated, mutatedJson } from './mutate.ts';
import { Broken, type Target } from './target.ts';

const NOW = 1_790_000_000_000;
const SECONDS = NOW / 1000;
const SECRET = 'tracker';

const digest = (time: number, body: Buffer, secret = SECRET): string =>
  createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex');

const HEADERS: ((body: Buffer, chance: Chance) => string)[] = [
  (body) => `t=${SECONDS},v1=${digest(SECONDS, body)}`,
  (body, chance) => `t=${SECONDS},v1=${digest(SECONDS, body, chance.one(['', 'guess']))}`,
  (body, chance) => `t=${SECONDS + chance.below(10_000) - 5000},v1=${digest(SECONDS, body)}`,
  (body, chance) => mutated(Buffer.from(`t=${SECONDS},v1=${digest(SECONDS, body)}`), chance).toString('latin1'),
  (_, chance) => chance.bytes(chance.below(100)).toString('latin1'),
];

const verifier: Target = {
  name: 'intake-verifier',
  holds: 'nothing is taken that is not signed, or not just now',
  tryOne(chance) {
    const signed = mutated(Buffer.from('{"key":"K","by":{"email":"a@b.example"},"prompt":"p"}'), chance);
    const header = chance.one(HEADERS)(signed, chance);
    const body = chance.below(4) === 0 ? mutated(signed, chance) : signed;
    const accepted = isSigned(header, body, { secrets: [SECRET], now: NOW });
    const genuine = header === `t=${SECONDS},v1=${digest(SECONDS, body)}`;
    if (accepted && !genuine) throw new Broken('a forgery was accepted');
    if (!accepted && genuine) throw new Broken('a genuine request was refused');
    return { accepted };
  },
};

const IDENTITIES = {
  people: [{ username: 'alice', groups: ['a'], slack: ['T1/U1'], github: [7], email: ['a@b.example'], comment: 'c' }],
  rules: [{ slackTeam: 'T1', domain: 'b.example', username: '{email}', groups: ['g'] }],
};
const PROJECTS = { projects: [{ namespace: 'a', slack: ['T1/C1'], intake: ['x'], session: { agent: { name: 'x' } } }] };

const OUTSIDERS = [
  { from: 'slack', team: 'T1', user: 'U1' },
  { from: 'slack', team: 'T1', user: 'U2', email: 'x@b.example' },
  { from: 'github', id: 7 },
  { from: 'email', address: 'a@b.example' },
] as const;

const files: Target = {
  name: 'identities',
  holds: "a file is read or refused whole; nobody is ever the cluster's own, or in a group of it",
  tryOne(chance) {
    const text = (value: object) =>
      chance.below(3) === 0
        ? mutated(Buffer.from(JSON.stringify(value)), chance).toString()
        : (JSON.stringify(mutatedJson(value, chance)) ?? '');
    try {
      const identities = parseIdentities(text(IDENTITIES));
      const who = whoIs(identities, chance.one(OUTSIDERS));
      if (
        'person' in who &&
        /^system:(?!serviceaccount:)/.test([who.person.username, ...(who.person.groups ?? [])].join('\n'))
      )
        throw new Broken('somebody is the cluster');
      parseProjects(text(PROJECTS));
      return { accepted: true };
    } catch (error) {
      if (!(error instanceof UnusableIdentities || error instanceof UnusableProjects)) throw error;
      return { accepted: false };
    }
  },
};

export const intakeTargets: readonly Target[] = [verifier, files];
