import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../lib/api/meta.ts';
import { SECRETS } from '../../../lib/kube/types.ts';
import { makeHarness } from '../harness.ts';

const REF = { namespace: 'tiny-system', name: 'tiny-identities' };

function stage() {
  const harness = makeHarness();
  const file = () => {
    const secret = harness.fake.read(SECRETS, REF) as (KubeObject & { data?: Record<string, string> }) | undefined;
    return JSON.parse(Buffer.from(secret?.data?.['identities.json'] ?? 'e30=', 'base64').toString());
  };
  const put = (text: string) =>
    harness.fake.put(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: REF,
      data: { 'identities.json': Buffer.from(text).toString('base64'), other: 'eA==' },
    } as KubeObject);
  return { ...harness, file, put, identity: (...argv: string[]) => harness.tiny(['identity', ...argv]) };
}

describe('tiny identity add', () => {
  it('makes the Secret, and gives a person more ids', async () => {
    const { identity, file } = stage();
    expect(await identity('add', 'alice', '--slack', 'T1/U1', '--group', 'team', '--group', 'b')).toMatchObject({
      code: 0,
    });
    await identity('add', 'alice', '--github', '583231', '--email', 'Alice@Example.com', '--comment', 'octocat');
    await identity('add', 'aaron', '--slack', 'T1/U2');
    expect(file()).toEqual({
      people: [
        { username: 'aaron', slack: ['T1/U2'] },
        {
          ...{ username: 'alice', groups: ['team', 'b'], slack: ['T1/U1'], github: [583231] },
          ...{ email: ['alice@example.com'], comment: 'octocat' },
        },
      ],
    });
  });

  it('loses nothing where somebody else edits at the same time', async () => {
    const { identity, file, fake } = stage();
    await identity('add', 'alice', '--slack', 'T1/U1');
    let meanwhile = true;
    fake.fault = (request) => {
      if (!request.startsWith('PATCH') || !meanwhile) return;
      meanwhile = false;
      const secret = fake.read(SECRETS, REF);
      const people = [...file().people, { username: 'zoe', slack: ['T1/U9'] }];
      const data = { 'identities.json': Buffer.from(JSON.stringify({ people })).toString('base64') };
      fake.put(SECRETS, { ...secret, data } as unknown as KubeObject);
    };
    expect(await identity('add', 'bob', '--slack', 'T1/U2')).toMatchObject({ code: 0 });
    expect(file().people.map(({ username }: { username: string }) => username)).toEqual(['alice', 'bob', 'zoe']);
  });

  it('ten at once lose nothing, though there is no Secret yet', async () => {
    const { identity, file } = stage();
    const names = Array.from({ length: 6 }, (_, at) => `p${at}`);
    const ran = await Promise.all(names.map((name, at) => identity('add', name, '--slack', `T1/U${at}`)));
    expect(ran.map(({ code }) => code)).toEqual(names.map(() => 0));
    expect(file().people).toHaveLength(6);
  });

  it('gives no id to two people, and maps nobody to the cluster itself', async () => {
    const { identity, file } = stage();
    await identity('add', 'alice', '--slack', 'T1/U1');
    expect((await identity('add', 'bob', '--slack', 'T1/U1')).err).toContain('slack:T1/U1 is alice already');
    expect((await identity('add', 'system:admin', '--slack', 'T1/U3')).err).toContain('an identity of the cluster');
    expect((await identity('add', 'eve', '--slack', 'T1/U4', '--group', 'system:masters')).err).toContain('never used');
    expect(file().people).toHaveLength(1);
  });

  it.each([
    ['--slack', 'U1', 'is no TEAM/USER'],
    ['--github', 'octocat', 'A login can be given away'],
    ['--github', '0', 'is no numeric id'],
    ['--email', 'alice', 'is no address'],
  ])('%s %s is called wrongly', async (flag, value, words) => {
    const { identity, fake } = stage();
    const { code, err } = await identity('add', 'alice', flag, value);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    expect(fake.requests).toEqual([]);
  });

  it('without a person, or an action that there is not, is called wrongly', async () => {
    const { identity } = stage();
    expect((await identity('add', '--slack', 'T1/U1')).code).toBe(2);
    expect((await identity('edit')).code).toBe(2);
    expect((await identity()).code).toBe(2);
  });

  it('changes nothing in a file that it can not read, and says what follows', async () => {
    const { identity, put, fake } = stage();
    put('{"people":');
    const { code, err } = await identity('add', 'alice', '--slack', 'T1/U1');
    expect([code, err]).toEqual([1, expect.stringContaining('is no JSON')]);
    expect(err).toContain('nobody from outside can act');
    expect(fake.requests.every((request) => request.startsWith('GET'))).toBe(true);
  });
});

describe('tiny identity rm', () => {
  it('takes ids, or the whole person, and leaves rules and other keys', async () => {
    const { identity, file, put, fake } = stage();
    const rules = [{ slackTeam: 'T1', domain: 'example.com', username: '{email}' }];
    put(
      JSON.stringify({
        people: [
          { username: 'alice', slack: ['T1/U1'], github: [7] },
          { username: 'bob', github: [8] },
        ],
        rules,
      }),
    );
    await identity('rm', 'alice', '--github', '7');
    expect(file()).toEqual({
      people: [
        { username: 'alice', slack: ['T1/U1'] },
        { username: 'bob', github: [8] },
      ],
      rules,
    });
    await identity('rm', 'bob');
    await identity('rm', 'alice', '--slack', 'T1/U1');
    expect(file()).toEqual({ people: [], rules });
    expect(fake.read(SECRETS, REF)).toMatchObject({ data: { other: 'eA==' } });
  });

  it('of whom or what is not there says so', async () => {
    const { identity } = stage();
    expect((await identity('rm', 'alice')).err).toContain('there is no alice');
    await identity('add', 'alice', '--slack', 'T1/U1');
    expect((await identity('rm', 'alice', '--slack', 'T1/U2')).err).toContain('slack:T1/U2 is not alice');
    expect((await identity('rm', 'alice', '--group', 'x')).code).toBe(2);
  });
});

describe('tiny identity ls', () => {
  it('lists people and rules; as data, the file', async () => {
    const { identity, put } = stage();
    expect((await identity('ls')).err).toContain('Nobody is noted');
    put(
      JSON.stringify({
        people: [{ username: 'alice', slack: ['T1/U1'] }],
        rules: [{ slackTeam: 'T1', domain: 'a.example', username: '{email}' }],
      }),
    );
    const { out, err } = await identity('ls');
    expect(out).toMatch(/^USERNAME +GROUPS +SLACK +GITHUB +EMAIL +COMMENT\nalice +<none> +T1\/U1 /);
    expect(err).toContain('Slack team T1 has verified as …@a.example is {email}');
    expect(JSON.parse((await identity('ls', 'bob', '-o', 'json')).out)).toMatchObject({ people: [], rules: [{}] });
  });
});

describe('tiny identity check', () => {
  const allowing = (allowed: (attributes: { resource: string }) => boolean) => {
    const { identity: _, tiny, fake } = stage();
    const request = fake.client.request.bind(fake.client);
    fake.client.request = (async (
      method: string,
      path: string,
      body: { spec: { resourceAttributes: { resource: string } } },
    ) => {
      if (!path.endsWith('subjectaccessreviews')) return request(method, path, body);
      reviews.push(body.spec);
      return { status: { allowed: allowed(body.spec.resourceAttributes) } };
    }) as typeof fake.client.request;
    const reviews: object[] = [];
    return { reviews, identity: (...argv: string[]) => tiny(['identity', ...argv]) };
  };

  it('tells who somebody would be, and what they may do then', async () => {
    const { identity, reviews } = allowing(({ resource }) => resource === 'questions');
    await identity('add', 'alice', '--slack', 'T1/U1', '--group', 'team');
    const { out, code } = await identity('check', '--slack', 'T1/U1');
    expect(code).toBe(0);
    expect(out).toMatch(/Name: +alice\nGroups: +team\nNamespace: +demo\nAnswers Questions: +yes\nStarts Sessions: +no/);
    expect(reviews[0]).toMatchObject({ user: 'alice', groups: ['team', 'system:authenticated'] });
  });

  it('says so where the cluster does not tell, and fails for whom nobody knows', async () => {
    const { identity } = stage();
    await identity('add', 'alice', '--github', '7');
    expect((await identity('check', '--github', '7')).out).toContain('the cluster does not tell you');
    const { code, err } = await identity('check', '--github', '8');
    expect([code, err]).toEqual([1, expect.stringContaining('tiny identity add USERNAME --github 8')]);
    expect((await identity('check')).code).toBe(2);
  });

  it('prints data', async () => {
    const { identity } = stage();
    await identity('add', 'alice', '--github', '7');
    expect(JSON.parse((await identity('check', '--github', '7', '-o', 'json')).out)).toMatchObject({
      who: 'github:7',
      username: 'alice',
    });
  });
});
