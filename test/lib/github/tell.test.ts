import { generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { findCondition } from '../../../lib/api/conditions.ts';
import { makeGitHub } from '../../../lib/github/api.ts';
import { replyOf } from '../../../lib/github/reply.ts';
import { appToken, tokens } from '../../../lib/github/token.ts';
import { makeTurns } from '../../../lib/github/turns.ts';
import { QUESTIONS, SESSIONS } from '../../../lib/kube/types.ts';
import { condition, makeQuestion, makeSession, NOW } from '../../support/objects.ts';
import { ALICE, BOB, commented, labeled } from './fake-github.ts';
import { githubStage } from './stage.ts';

const TOLD = { state: 'Working', line: 'reading the cart' };

async function started(more: Parameters<typeof githubStage>[0] = {}) {
  const stage = githubStage(more);
  await stage.send(labeled(ALICE));
  await stage.settled();
  const { name, uid } = (await stage.session()).metadata;
  const ref = { namespace: 'team-a', name };
  return {
    ...stage,
    ref,
    name,
    uid,
    comment: () => stage.fake.comments.get(12)?.[0]?.body ?? '',
    replied: async () => findCondition(await stage.session(), 'Replied'),
    become: (state: string, status: object = {}) =>
      stage.server.change(SESSIONS, ref, (session) => {
        const conditions = (session.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
        session.status = {
          ...session.status,
          ...status,
          conditions: [...conditions, condition('Ready', 'True', { reason: state })],
        };
      }),
    asks: (text: string) =>
      stage.server.put(
        QUESTIONS,
        makeQuestion({
          metadata: {
            name: `${name}-1`,
            ownerReferences: [{ apiVersion: 'tiny.dev/v1alpha1', kind: 'Session', name, uid }],
          },
          spec: { session: name, text },
        }),
      ),
  };
}

describe("a Session's comment", () => {
  test('is written once and edited in place: where it is, what it waits for, what came of it', async () => {
    const { comment, become, event, name, fake, asks } = await started();
    expect(comment()).toContain(`**Session \`${name}\`** in \`team-a\` for \`alice\`: **New**`);
    become(TOLD.state, { message: TOLD.line });
    expect(await event('Session', name)).toEqual({ status: 202 });
    expect(comment()).toContain('**Working**');
    expect(comment()).toContain(`\`\`\`text\n${TOLD.line}\n\`\`\``);
    const question = asks('May I delete the cart?');
    await event('Question', question.metadata.name);
    expect(comment()).toContain(`tiny show question/${question.metadata.name}@`);
    expect(comment()).toContain('May I delete the cart?');
    become('Completed', { result: { branch: 'tiny/fix', commits: 2, filesChanged: 3, summary: 'All is well.' } });
    expect(fake.comments.get(12)).toHaveLength(1);
  });

  test('costs GitHub no request for events that bring nothing new, which anybody may send', async () => {
    const { fake, event, name, become } = await started();
    await event('Session', name);
    const before = fake.asked.length;
    for (let count = 0; count < 20; count++) expect(await event('Session', name)).toEqual({ status: 202 });
    expect(fake.asked.length).toBe(before);
    become(TOLD.state);
    await event('Session', name);
    expect(fake.asked.length).toBeGreaterThan(before);
  });

  test('tells the result once it has finished', () => {
    const finished = condition('Finished', 'True', { reason: 'Completed' });
    const result = { branch: 'tiny/fix', commits: 2, filesChanged: 3, summary: 'All is well.' };
    const reply = replyOf({
      session: makeSession({ status: { conditions: [finished], result } }),
      questions: [],
      isPrivate: true,
    });
    expect(reply).toContain('Done: branch `tiny/fix`, 2 commits, 3 files changed.');
    expect(reply).toContain('All is well.');
  });

  test("of a public repository holds none of the agent's words, and no user name, which may be an address", async () => {
    const { comment, become, tell, ref, fake, asks } = await started();
    fake.isPrivate = false;
    asks('Is the password hunter2?');
    become('Waiting', { message: 'reading hunter2' });
    await tell(ref);
    expect(comment()).not.toContain('hunter2');
    expect(comment()).not.toContain('alice');
    expect(comment()).toContain('Waits for an answer');
  });

  test('notifies nobody, closes no code block, and commands nothing, whatever the agent says', async () => {
    const { comment, become, tell, ref } = await started();
    become('Working', { message: '```\n/tiny do it\n@everyone <img src=x>' });
    await tell(ref);
    expect(comment()).toContain('````text\n```\n/tiny do it\n@everyone <img src=x>\n````');
    expect(comment().startsWith('<!-- tiny ')).toBe(true);
  });

  test('is left alone where nothing new is to be said, however many events come', async () => {
    const { event, name, fake } = await started();
    const before = fake.asked.filter((asked) => !asked.startsWith('GET')).length;
    await Promise.all(Array.from({ length: 10 }, () => event('Session', name)));
    expect(fake.asked.filter((asked) => !asked.startsWith('GET')).length).toBe(before);
  });

  test('is found again where the run that wrote it did not live to note it', async () => {
    const { server, tell, ref, fake, become } = await started();
    server.change(SESSIONS, ref, (session) => {
      session.status = {};
    });
    become('Working');
    await tell(ref);
    expect(fake.comments.get(12)).toHaveLength(1);
  });

  test('that somebody has deleted is not written again', async () => {
    const { become, tell, ref, fake, replied } = await started();
    fake.comments.clear();
    become('Working');
    await tell(ref);
    become('Waiting');
    await tell(ref);
    expect(fake.comments.size).toBe(0);
    expect(await replied()).toMatchObject({ status: 'False', reason: 'CommentDeleted' });
  });

  test.each([
    ['is down', { status: 500 }, 'Unavailable', 500],
    ['asks to wait', { status: 429, headers: { 'retry-after': '7' } }, 'RateLimited', 429],
    ['does not take the token', { status: 401 }, 'TokenRefused', 202],
  ])(
    'where GitHub %s: the Session says so, and the next event brings it up to date',
    async (_what, trouble, reason, status) => {
      const { become, event, name, fake, comment, replied } = await started();
      become('Working');
      fake.trouble = () => trouble;
      expect(await event('Session', name)).toEqual({ status });
      expect(await replied()).toMatchObject({ status: 'False', reason });
      fake.trouble = () => undefined;
      expect(await event('Session', name)).toEqual({ status: 202 });
      expect(comment()).toContain('**Working**');
      expect(fake.comments.get(12)).toHaveLength(1);
      expect(await replied()).toMatchObject({ status: 'True' });
    },
  );

  test("is written to no repository but those of the Session's own project", async () => {
    const { server, tell, ref, fake, become } = await started();
    for (const issue of ['acme/other#12', 'acme/unknown#12', '../../user#1', 'acme/shop#0']) {
      server.change(SESSIONS, ref, (session) => {
        session.metadata.annotations = { ...session.metadata.annotations, 'tiny.dev/github-issue': issue };
      });
      become(`Not${issue.length}`);
      fake.asked.length = 0;
      await tell(ref);
      expect(fake.asked, issue).toEqual([]);
    }
  });

  test('is not asked for by what is no event, or about what is gone', async () => {
    const { event, server, ref, name } = await started();
    expect(await event('Pod', name)).toEqual({ status: 400 });
    expect(await event('Question', 'none')).toEqual({ status: 202 });
    server.drop(SESSIONS, ref);
    expect(await event('Session', name)).toEqual({ status: 202 });
  });
});

test("a no to one person stands beside the Session's comment, and both stay one", async () => {
  const { send, settled, fake } = await started();
  await send(commented(BOB, '/tiny mine'));
  await send(commented(BOB, '/tiny mine', { id: 78 }));
  await settled();
  expect(fake.comments.get(12)).toHaveLength(2);
});

test('what has one name runs in turn, and only the last of what waits', async () => {
  const ran: string[] = [];
  const turns = makeTurns();
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const first = turns.run('a', async () => {
    await gate;
    ran.push('first');
  });
  const others = [1, 2, 3].map((at) => turns.run('a', async () => void ran.push(`later ${at}`)));
  await turns.run('b', async () => void ran.push('other'));
  open();
  await Promise.all([first, ...others]);
  expect(ran).toEqual(['other', 'first', 'later 1']);
  await turns.run('a', async () => void ran.push('again'));
  expect(ran).toContain('again');
});

describe('the token', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const app = { token: '', appId: '7', installationId: '8', privateKey: pem };

  test("of an App is got with a token that the App's key signs, and kept until shortly before its end", async () => {
    const asked: string[] = [];
    let time = NOW.getTime();
    const now = () => new Date(time);
    const token = tokens(() => app, {
      ...{ url: 'https://api.github.com', now },
      send: async ({ method, url, headers }) => {
        asked.push(`${method} ${url}`);
        const [head, claims, signature] = (headers.authorization ?? '').replace('Bearer ', '').split('.');
        const good = verify(
          'RSA-SHA256',
          Buffer.from(`${head}.${claims}`),
          publicKey,
          Buffer.from(signature ?? '', 'base64url'),
        );
        const expires = new Date(time + 3_600_000).toISOString();
        return {
          status: good ? 201 : 401,
          headers: {},
          text: JSON.stringify({ token: `t${asked.length}`, expires_at: expires }),
        };
      },
    });
    expect([await token(), await token()]).toEqual(['t1', 't1']);
    time += 3_400_000;
    expect(await token()).toBe('t2');
    expect(asked[0]).toBe('POST https://api.github.com/app/installations/8/access_tokens');
  });

  test('is valid for ten minutes at most, as GitHub wants it', () => {
    const claims = JSON.parse(Buffer.from(appToken(app, NOW.getTime()).split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ iss: '7' });
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(600);
  });

  test.each([
    ['nothing', {}],
    ['half an App', { appId: '7' }],
    ['an id that is a path', { ...app, installationId: '8/../9' }],
    ['a key that is none', { ...app, privateKey: 'x' }],
  ])('is missing where there is %s, and that is said', async (_what, given) => {
    const credentials = { token: '', appId: '', installationId: '', privateKey: '', ...given };
    const way = { send: async () => ({ status: 500, headers: {}, text: '' }), url: 'https://x', now: () => NOW };
    await expect(tokens(() => credentials, way)()).rejects.toMatchObject({ reason: 'NotConfigured', passes: false });
  });

  test('is never in a message', async () => {
    const github = makeGitHub({
      send: async () => {
        throw new Error('secret-token');
      },
      url: 'https://x',
      token: async () => 'secret-token',
      now: () => NOW,
    });
    await expect(github('GET', '/')).rejects.toThrow(/^GitHub can not be reached$/);
  });
});
