import { describe, expect, test } from 'vitest';
import { CONFIG_MAPS, type ResourceType } from '../../../lib/kube/types.ts';
import { apiError } from '../../support/memory-client.ts';
import { makeHarness } from '../harness.ts';

const REF = { namespace: 'demo', name: 'tiny-settings' };

async function world(data?: Record<string, string>) {
  const harness = makeHarness();
  const metadata = { ...REF };
  if (data) await harness.fake.client.create(CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  return { ...harness, data: async () => (await harness.fake.client.get(CONFIG_MAPS, REF))?.data };
}

describe('tiny settings', () => {
  test('shows every key and what holds, set or not', async () => {
    const { tiny } = await world({ 'answerers.users': 'alice\nbob\n' });
    const { out, code } = await tiny(['settings']);
    expect(code).toBe(0);
    expect(out).toMatch(/^answerers\.users +yes +alice, bob /m);
    expect(out).toMatch(/^answerers\.notRequester +no +false /m);
    expect(out).not.toContain('about.txt');
  });

  test('warns of what is there and nobody understands, and guesses what was meant', async () => {
    const { tiny } = await world({ 'answerer.users': 'alice', 'spawn.allowSecrets': 'yes' });
    const { out, err } = await tiny(['settings']);
    expect(err).toContain('answerer.users is no setting');
    expect(err).toContain('spawn.allowSecrets must be "true" or "false"');
    expect(out).toMatch(/^answerer\.users .* is no setting/m);
  });

  test('sets keys beside others, with commas for lines, and says who did', async () => {
    const { tiny, data, fake } = await world({ 'images.allowed': 'a/' });
    expect(await tiny(['settings', 'set', 'answerers.users=alice, bob', 'spawn.allowSecrets=true'])).toMatchObject({
      code: 0,
    });
    expect(await data()).toEqual({
      'images.allowed': 'a/',
      'answerers.users': 'alice\nbob',
      'spawn.allowSecrets': 'true',
    });
    const settings = await fake.client.get(CONFIG_MAPS, REF);
    expect(settings?.metadata.annotations?.['tiny.dev/changed-by']).toContain('"username":"alice"');
  });

  describe('limits.maxSessions', () => {
    const QUOTAS = { ...CONFIG_MAPS, kind: 'ResourceQuota', plural: 'resourcequotas' } as ResourceType;
    const quota = { namespace: 'demo', name: 'tiny' };

    test('is a quota as well, set and taken away with it', async () => {
      const { tiny, data, fake } = await world();
      expect(await tiny(['settings', 'set', 'limits.maxSessions=20'])).toMatchObject({ code: 0 });
      expect(await data()).toMatchObject({ 'limits.maxSessions': '20' });
      const live = await fake.client.get(QUOTAS, quota);
      expect(live).toMatchObject({ spec: { hard: { 'count/sessions.tiny.dev': '20' } } });
      expect((await tiny(['settings'])).err).toBe('');
      await tiny(['settings', 'unset', 'limits.maxSessions']);
      expect(await fake.client.get(QUOTAS, quota)).toBeUndefined();
    });

    test('that some edit put out of step with the quota is told of', async () => {
      const { tiny } = await world({ 'limits.maxSessions': '20' });
      expect((await tiny(['settings'])).err).toContain(
        'limits.maxSessions says 20, and what holds is no limit (ResourceQuota "tiny"); to have them agree: tiny settings set limits.maxSessions=20',
      );
    });

    test('changes nothing for who may change no quota', async () => {
      const { tiny, data, fake } = await world({});
      fake.fault = (request) => {
        if (/resourcequotas/.test(request)) throw apiError(403, 'Forbidden', 'no');
      };
      expect((await tiny(['settings', 'set', 'limits.maxSessions=20'])).code).toBe(1);
      expect(await data()).toEqual({});
    });
  });

  test('makes the settings of a project that has none', async () => {
    const { tiny, data } = await world();
    await tiny(['settings', 'set', 'spawn.allowImages=true']);
    expect(await data()).toMatchObject({ 'spawn.allowImages': 'true', 'about.txt': expect.any(String) });
  });

  test('takes keys away, known or not', async () => {
    const { tiny, data } = await world({ 'answerer.users': 'x', 'images.allowed': 'a/' });
    expect(await tiny(['settings', 'unset', 'answerer.users', 'images.allowed'])).toMatchObject({ code: 0 });
    expect(await data()).toEqual({});
  });

  test('diff is silent and 0 where the defaults hold, and 1 where something is set', async () => {
    expect(await (await world()).tiny(['settings', 'diff'])).toMatchObject({ code: 0, out: '' });
    const { code, out } = await (await world({ 'images.allowed': 'a/' })).tiny(['settings', 'diff']);
    expect(code).toBe(1);
    expect(out).toMatch(/^images\.allowed +a\/ /m);
  });

  test.each([
    [['set', 'answerer.users=alice'], 'Did you mean answerers.users?'],
    [['set', 'spawn.allowSecrets=yes'], 'spawn.allowSecrets must be "true" or "false", not "yes"'],
    [['set', 'alice'], 'is not KEY=VALUE'],
    [['set'], 'which key?'],
    [['get', 'nothing'], 'there is no setting "nothing"'],
  ])('refuses %j and changes nothing', async (args, message) => {
    const { tiny, data } = await world({ 'images.allowed': 'a/' });
    const { code, err } = await tiny(['settings', ...args]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(await data()).toEqual({ 'images.allowed': 'a/' });
  });

  test('prints what is set as JSON', async () => {
    const { tiny } = await world({ 'images.allowed': 'a/' });
    expect(JSON.parse((await tiny(['settings', '-o', 'json'])).out)).toEqual({ 'images.allowed': 'a/' });
  });
});
