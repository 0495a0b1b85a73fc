/** What a project's settings allow: who answers, which images and repositories. */
import { describe, expect, test } from 'vitest';
import { type Client, QUESTIONS, SESSIONS } from '../../lib/kube/types.ts';
import { DESCRIBED } from '../../lib/settings/schema.ts';
import { tiny } from './command.ts';
import { answer, answerOf, CONFIG_MAPS, edit, question, refusal, session, settingsOf, spawning } from './objects.ts';
import type { Name, World } from './world.ts';

export function settingsCases(world: () => World): void {
  const as = (name: Name) => world().as(name);

  /** A Question of alice's Session in a project with these settings. */
  async function asked(ns: string, settings?: Record<string, string>) {
    await world().project(ns, settings);
    await as('alice').create(SESSIONS, session(ns, 'a'));
    return async () => as('alice').create(QUESTIONS, question(ns, 'a'));
  }

  test('of how many Sessions there may be: the quota counts, and who is refused is told who has them', async () => {
    const ns = await world().project('full');
    const run = (client: Client, ...argv: string[]) => tiny(world().engine, client, [...argv, '-n', ns]);
    const set = ['settings', 'set', 'limits.maxSessions=1'];
    expect(await run(as('alice'), ...set)).toMatchObject({ code: 1 });
    expect(await run(world().admin, ...set)).toMatchObject({ code: 0 });
    await as('alice').create(SESSIONS, session(ns, 'a'));
    const more = async () => {
      const { code, err } = await run(as('bob'), 'new', 'more', '--dry-run=server');
      return code === 1 && err;
    };
    await expect.poll(more).toContain('exceeded quota');
    const { code, err } = await run(as('bob'), 'new', 'more');
    expect(code).toBe(1);
    expect(err).toContain(`project ${ns} is full: it may have at most 1 Session (ResourceQuota "tiny")`);
    expect(err).toContain('Who has them: alice 1.');
  });

  describe('who may answer', () => {
    test('without settings: everyone whom RBAC lets', async () => {
      const ask = await asked('answer-all');
      await answer(as('alice'), await ask());
      await answer(as('dave'), await ask());
      expect((await refusal(answer(as('nobody'), await ask()))).message).toContain('cannot patch resource "questions"');
    });

    test('users and groups, one a line', async () => {
      const ask = await asked('answer-named', { 'answerers.users': 'bob\n  olga \n', 'answerers.groups': 'third\n' });
      await answer(as('bob'), await ask());
      await answer(as('carol'), await ask());
      const { code, message } = await refusal(answer(as('dave'), await ask()));
      expect(code).toBe(403);
      expect(message).toContain(
        'dave may not answer in this project; ConfigMap tiny-settings names who may: bob, olga, group third',
      );
      expect((await refusal(answer(world().admin, await ask()))).code).toBe(403);
    });

    test('not the requester, where the settings want another; nobody lies about who that is', async () => {
      const ask = await asked('answer-other', { 'answerers.notRequester': 'true' });
      const open = await ask();
      expect((await refusal(answer(as('bob'), open))).message).toContain('answer with `tiny answer`');
      const lie = { metadata: { annotations: { 'tiny.dev/requester': 'bob' } }, spec: { answer: { option: 'allow' } } };
      const unmarked = as('alice').patch(QUESTIONS, open.metadata, { type: 'merge', body: lie });
      expect((await refusal(unmarked)).message).toContain('label tiny.dev/answered-by-another');
      const lying = await refusal(answerOf(as('alice'), open, { requester: 'bob' }));
      expect(lying.message).toContain('must be who asked for Session a: alice');
      const own = await refusal(answerOf(as('alice'), open, { requester: 'alice' }));
      expect(own.message).toContain('alice asked for Session a, and in this project somebody else answers');
      await answerOf(as('bob'), open, { requester: 'alice' });
    });

    test('not who has become the requester since the Question was asked', async () => {
      const ask = await asked('answer-taken-over', { 'answerers.notRequester': 'true' });
      const open = await ask();
      await edit(as('bob'), session('answer-taken-over', 'a'), { touched: '2026-11-30T12:00:00Z' });
      const own = async () => (await refusal(answerOf(as('bob'), open, { requester: 'bob' }))).message;
      await expect.poll(own).toContain('bob asked for Session a');
      expect((await refusal(answerOf(as('bob'), open, { requester: 'alice' }))).code).toBe(403);
      await answerOf(as('alice'), open, { requester: 'bob' });
    });
  });

  describe('what nobody understands is refused when it is written', () => {
    test.each([
      ['a key that is misspelt', { 'answerer.users': 'bob' }, 'no such settings: answerer.users'],
      ['a flag that is none', { 'answerers.notRequester': 'yes' }, 'must be true or false: answerers.notRequester'],
      ['a text of two lines', { 'channels.slack': 'a\nb' }, 'must be text: channels.slack'],
    ])('%s', async (what, data, message) => {
      const ns = await world().project(`settings-${what.replaceAll(' ', '-')}`);
      const { message: said } = await refusal(world().admin.create(CONFIG_MAPS, settingsOf(ns, data as never)));
      expect(said).toContain(message);
    });

    test('but every key in the reference, with its example, is taken', async () => {
      const ns = await world().project('settings-all');
      const data = Object.fromEntries(DESCRIBED.map(({ key, example }) => [key, example]));
      await world().admin.create(CONFIG_MAPS, settingsOf(ns, data));
    });
  });

  describe('images and repositories', () => {
    const settings = {
      'images.allowed': 'registry.example/team\nghcr.io/acme/agent\n',
      'repositories.allowed': 'https://git.example/team/\ngit@git.example:team\nhttps://git.example/one/repo',
    };
    const image = (of: string) => ({ agent: { name: 'rehearsal', image: of } });
    const repository = (url: string) => ({ repository: { url } });

    test.each([
      [{}, true],
      [image('registry.example/team/agent:1'), true],
      [image('ghcr.io/acme/agent'), true],
      [image('ghcr.io/acme/agent:2'), true],
      [image('ghcr.io/acme/agent@sha256:0123'), true],
      [image('registry.example/team-evil/agent'), false],
      [image('registry.example/teamx'), false],
      [image('ghcr.io/acme/agent:5000/evil'), false],
      [image('evil.example/registry.example/team/x'), false],
      [repository('https://git.example/team/a'), true],
      [repository('https://git.example/one/repo'), true],
      [repository('https://git.example/one/repo.git'), true],
      [repository('https://git.example/one/repository'), false],
      [repository('https://git.example/team/../evil/a'), false],
      [repository('https://git.example/team/%2e%2E/evil/a'), false],
      [repository('https://git.example/team/x/%2e./evil'), false],
      [repository('https://git.example/team/..%2fevil/a'), false],
      [repository('https://git.example/team/x%2F..%2f..%2fevil'), false],
      [repository('https://git.example/team/..;x/evil/a'), false],
      [repository('https://git.example/team/..\\evil/a'), false],
      [repository('https://git.example/team/..?x/../evil'), false],
      [repository('https://git.example/team/..a/x..y'), true],
      [repository('https://git.example/teams/a'), false],
      [repository('https://evil.example/https://git.example/team/a'), false],
      [repository('https://git.example:444/team/a'), false],
    ])('%j: %s', async (spec, allowed) => {
      const ns = 'allowed';
      if (!(await world().admin.get(CONFIG_MAPS, { namespace: ns, name: 'tiny-settings' })))
        await world().project(ns, settings);
      const path = `/apis/tiny.dev/v1alpha1/namespaces/${ns}/sessions?dryRun=All`;
      const attempt = () => as('alice').request('POST', path, session(ns, 'a', spec));
      if (allowed) await attempt();
      else expect((await refusal(attempt())).message).toMatch(/is not allowed in this project/);
    });

    test('hold for what an agent asks, too; and what was allowed when it was made, stays', async () => {
      const ns = await world().project('allowed-late');
      const made = await as('alice').create(SESSIONS, session(ns, 'a', image('old.example/x')));
      await as('olga').apply(CONFIG_MAPS, settingsOf(ns, settings));
      await expect
        .poll(() =>
          as('alice')
            .create(SESSIONS, session(ns, `b-${Date.now()}`, image('old.example/x')))
            .then(
              () => '',
              (e: Error) => e.message,
            ),
        )
        .toContain('image old.example/x is not allowed');
      await edit(as('alice'), made, { suspend: true });
      expect((await refusal(edit(as('alice'), made, image('new.example/x')))).code).toBe(403);
      const spec = spawning('x', repository('https://evil.example/a'));
      expect((await refusal(world().ask(ns, 'a', { spec }))).message).toContain('repository https://evil.example/a');
    });
  });
}
