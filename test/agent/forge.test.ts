import { describe, expect, it } from 'vitest';
import type { PushedRepository } from '../../agent/env.ts';
import { forgeOf, placeOf } from '../../agent/forge/forge.ts';
import { ForgeError } from '../../agent/forge/request.ts';

const { signal } = new AbortController();
const draft = { title: 'Fix', body: 'Why', branch: 'tiny/s', base: 'main', draft: true };

type Reply = [status: number, body: unknown];

/** A host that answers in turn and remembers what it was asked. */
function host(pullRequests: PushedRepository['push']['pullRequests'], url: string, ...replies: Reply[]) {
  const asked: { method: string; url: string; body: unknown; init: RequestInit }[] = [];
  const fetch = (async (to: string, init: RequestInit) => {
    asked.push({ method: init.method ?? '', url: to, body: init.body && JSON.parse(String(init.body)), init });
    const [status, body] = replies.shift() ?? [500, ''];
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
  }) as typeof globalThis.fetch;
  const forge = forgeOf({ url, push: { unasked: false, pullRequests } }, { fetch, token: () => 'the-token' });
  return { asked, open: async () => forge?.open(draft, signal) };
}

describe('a pull request at GitHub', () => {
  const github = (...replies: Reply[]) => host({ provider: 'github' }, 'https://github.com/o/r.git', ...replies);

  it('is opened with the token in a header, following no redirect', async () => {
    const { open, asked } = github([201, { html_url: 'https://github.com/o/r/pull/1' }]);
    expect(await open()).toBe('https://github.com/o/r/pull/1');
    expect(asked).toMatchObject([
      {
        method: 'POST',
        url: 'https://api.github.com/repos/o/r/pulls',
        body: { title: 'Fix', body: 'Why', head: 'tiny/s', base: 'main', draft: true },
        init: { redirect: 'error', headers: { authorization: 'Bearer the-token' } },
      },
    ]);
  });

  it('that is open already is found', async () => {
    const { open, asked } = github(
      [422, { message: 'exists' }],
      [200, [{ html_url: 'https://github.com/o/r/pull/7' }]],
    );
    expect(await open()).toBe('https://github.com/o/r/pull/7');
    expect(asked[1]?.url).toBe('https://api.github.com/repos/o/r/pulls?head=o%3Atiny%2Fs&state=open');
  });

  it("that is refused is told in the host's words", async () => {
    await expect(github([422, { message: 'No commits between' }], [200, []]).open()).rejects.toThrow(
      'No commits between',
    );
    await expect(github([401, { message: 'Bad credentials' }]).open()).rejects.toThrow('401');
    await expect(github([201, 'no json']).open()).rejects.toThrow('no JSON');
    await expect(github([201, { html_url: 'javascript:alert(1)' }]).open()).rejects.toThrow('not understood');
  });

  it('goes to the API that the spec names, and to none that is only guessed', async () => {
    const api = 'https://git.example/api/v3';
    const named = host({ provider: 'github', api }, 'git@git.example:o/r', [
      201,
      { html_url: 'https://git.example/1' },
    ]);
    await named.open();
    expect(named.asked[0]?.url).toBe(`${api}/repos/o/r/pulls`);
    expect(() => host({ provider: 'github' }, 'https://git.example/o/r')).toThrow(ForgeError);
  });
});

describe('a merge request at GitLab', () => {
  const gitlab = (...replies: Reply[]) => host({ provider: 'gitlab' }, 'git@gitlab.com:group/sub/r.git', ...replies);

  it('is opened, or found where one is open already', async () => {
    const { open, asked } = gitlab([409, { message: ['exists'] }], [200, [{ web_url: 'https://gitlab.com/x/1' }]]);
    expect(await open()).toBe('https://gitlab.com/x/1');
    expect(asked).toMatchObject([
      {
        url: 'https://gitlab.com/api/v4/projects/group%2Fsub%2Fr/merge_requests',
        body: { title: 'Draft: Fix', description: 'Why', source_branch: 'tiny/s', target_branch: 'main' },
      },
      { url: expect.stringContaining('?source_branch=tiny%2Fs&state=opened') },
    ]);
  });
});

it.each([
  ['https://github.com/o/r.git', 'github.com', 'o/r'],
  ['https://h:8443/a/b/c/', 'h', 'a/b/c'],
  ['ssh://git@H:22/o/r.git', 'h', 'o/r'],
  ['git@h:o/r', 'h', 'o/r'],
])('reads %s as a place', (url, at, path) => {
  expect(placeOf(url)).toEqual({ host: at, path });
});

it('opens nothing where the spec names no provider', () => {
  const options = { fetch, token: () => '' };
  expect(forgeOf({ url: 'https://github.com/o/r', push: { unasked: false } }, options)).toBeUndefined();
});
