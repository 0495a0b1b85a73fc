import { describe, expect, test } from 'vitest';
import {
  type Identities,
  notMappable,
  type Outsider,
  parseIdentities,
  UnusableIdentities,
  whoIs,
} from '../../../lib/identity/mapping.ts';

const FILE: Identities = {
  people: [
    { username: 'alice', groups: ['team-a'], slack: ['T1/U1'], github: [583231], comment: 'octocat' },
    { username: 'bob', slack: ['T1/U2'], email: ['bob@example.com'] },
    { username: 'carol', slack: ['T1/U2'] },
    { username: 'system:admin', slack: ['T1/U4'] },
    { username: 'dave', groups: ['system:masters'], slack: ['T1/U5'] },
    { username: 'system:serviceaccount:ci:bot', github: [7] },
  ],
  rules: [{ slackTeam: 'T1', domain: 'example.com', username: 'oidc:{email}', groups: ['staff'] }],
};
const slack = (team: string, user: string, email?: string): Outsider => ({
  from: 'slack',
  team,
  user,
  ...(email && { email }),
});
const person = (who: Outsider) => whoIs(FILE, who);

describe('who somebody from outside is', () => {
  test('stands in an entry, by an id that stays', () => {
    expect(person(slack('T1', 'U1'))).toEqual({ person: { username: 'alice', groups: ['team-a'] } });
    expect(person({ from: 'github', id: 583231, login: 'renamed' })).toMatchObject({ person: { username: 'alice' } });
    expect(person({ from: 'email', address: 'Bob@Example.com' })).toEqual({ person: { username: 'bob' } });
    expect(person({ from: 'github', id: 7 })).toEqual({ person: { username: 'system:serviceaccount:ci:bot' } });
  });

  test('is not guessed from the same id in another workspace, or from a login', () => {
    for (const who of [slack('T2', 'U1'), slack('T1', 'U9'), { from: 'github', id: 8, login: 'octocat' } as const])
      expect(person(who)).toMatchObject({ refusal: 'Unmapped' });
  });

  test('is told, where there is no entry, what to ask for', () => {
    expect(person(slack('T2', 'U1'))).toMatchObject({
      message: expect.stringContaining('tiny identity add USERNAME --slack T2/U1'),
    });
  });

  test('is nobody where two entries claim the id', () => {
    expect(person(slack('T1', 'U2'))).toMatchObject({ refusal: 'Ambiguous' });
  });

  test('is no part of the cluster, and in none of its groups', () => {
    expect(person(slack('T1', 'U4'))).toMatchObject({ refusal: 'NotAPerson' });
    expect(person(slack('T1', 'U5'))).toMatchObject({ refusal: 'NotAPerson' });
    expect(notMappable({ username: 'system:serviceaccount:a:b', groups: ['g'] })).toContain('leave them out');
  });

  test('comes from the verified e-mail address where a rule says so', () => {
    expect(person(slack('T1', 'U9', 'Eve@example.com'))).toEqual({
      person: { username: 'oidc:eve@example.com', groups: ['staff'] },
    });
  });

  test.each([
    slack('T2', 'U9', 'eve@example.com'),
    slack('T1', 'U9', 'eve@evil.example'),
    slack('T1', 'U9', 'eve@example.com.evil.example'),
    slack('T1', 'U9', '"x@example.com"@evil.example'),
    slack('T1', 'U9', 'eve@evil.example@example.com'),
    slack('T1', 'U9', 'ev\u0435@example.com'),
    slack('T1', 'U9', 'system:x@example.com'),
  ])('a rule takes no other address: %o', (who) => {
    expect(person(who)).toMatchObject({ refusal: 'Unmapped' });
  });
});

describe('the file', () => {
  test('may be empty', () => expect(parseIdentities('{}')).toEqual({}));

  test.each([
    '',
    '[]',
    'null',
    '{"persons":[]}',
    '{"people":[{"username":""}]}',
    '{"people":[{"username":"a","slack":["U1"]}]}',
    '{"people":[{"username":"a","github":["octocat"]}]}',
    '{"rules":[{"slackTeam":"T1","domain":"example.com","username":"everybody"}]}',
  ])('is refused whole where it is wrong, and not quoted: %s', (file) => {
    expect(() => parseIdentities(file)).toThrow(UnusableIdentities);
  });
});
