/** A fake GitHub: the part of its REST API that is used, who may write where, and deliveries signed as it signs them. */
import { createHmac } from 'node:crypto';
import type { Incoming, Outgoing, Send } from '../../../lib/github/http.ts';

export const SECRET = 'webhook secret';
export const REPOSITORY = {
  id: 42,
  full_name: 'acme/shop',
  clone_url: 'https://github.com/acme/shop.git',
  default_branch: 'main',
};

export interface FakeUser {
  id: number;
  login: string;
  type: string;
}
export const ALICE: FakeUser = { id: 1, login: 'alice-gh', type: 'User' };
export const BOB: FakeUser = { id: 2, login: 'bob-gh', type: 'User' };
export const STRANGER: FakeUser = { id: 666, login: 'stranger', type: 'User' };

interface FakeComment {
  id: number;
  body: string;
  html_url: string;
}

export interface FakeGitHub {
  send: Send;
  /** By issue. */
  comments: Map<number, FakeComment[]>;
  /** Permission by the id of who has it. */
  permissions: Map<number, string>;
  /** Who has a login by now. */
  logins: Map<string, number>;
  isPrivate: boolean;
  /** Each request, as `METHOD path`. */
  asked: string[];
  /** Answers instead of what would be answered; `undefined`: nothing is wrong. Throws: it is down. */
  trouble: (outgoing: Outgoing) => Partial<Incoming> | undefined;
  pull: object | undefined;
  /** The name that the repository has by now. */
  repository: string;
}

const answer = (status: number, body: unknown): Incoming => ({ status, headers: {}, text: JSON.stringify(body) });
const url = (number: string, id: number) => `https://github.com/acme/shop/issues/${number}#issuecomment-${id}`;

export function fakeGitHub(): FakeGitHub {
  let ids = 1000;
  const fake: FakeGitHub = {
    comments: new Map(),
    permissions: new Map([
      [ALICE.id, 'write'],
      [BOB.id, 'admin'],
      [STRANGER.id, 'read'],
    ]),
    logins: new Map([ALICE, BOB, STRANGER].map(({ login, id }) => [login, id])),
    isPrivate: true,
    asked: [],
    trouble: () => undefined,
    pull: undefined,
    repository: REPOSITORY.full_name,
    send: async (outgoing) => {
      // As over a network: others' requests come in between.
      await new Promise((resolve) => setImmediate(resolve));
      const { method, url: to, body } = outgoing;
      const path = to.replace('https://api.github.com', '').replace(`/repos/${fake.repository}/`, '/repos/acme/shop/');
      fake.asked.push(`${method} ${path.split('?')[0]}`);
      const trouble = fake.trouble(outgoing);
      if (trouble) return { status: 500, headers: {}, text: '{}', ...trouble };
      return route(`${method} ${path}`, body === undefined ? {} : (JSON.parse(body) as { body?: string }));
    },
  };
  const all = () => [...fake.comments.values()].flat();
  const ROUTES: [RegExp, (found: string[], sent: { body?: string }) => Incoming][] = [
    [/^GET \/repos\/acme\/shop$/, () => answer(200, { private: fake.isPrivate })],
    [/^GET \/repos\/acme\/shop\/pulls\/\d+$/, () => (fake.pull ? answer(200, fake.pull) : answer(404, {}))],
    [
      /^GET \/repos\/acme\/shop\/collaborators\/([^/]+)\/permission$/,
      ([login = '']) => {
        const id = fake.logins.get(login);
        return id ? answer(200, { permission: fake.permissions.get(id) ?? 'none', user: { id } }) : answer(404, {});
      },
    ],
    [
      /^GET \/repos\/acme\/shop\/issues\/(\d+)\/comments\?per_page=100&page=(\d+)$/,
      ([number = '', page]) => answer(200, page === '1' ? (fake.comments.get(Number(number)) ?? []) : []),
    ],
    [
      /^POST \/repos\/acme\/shop\/issues\/(\d+)\/comments$/,
      ([number = ''], { body = '' }) => {
        const id = ++ids;
        const made = { id, body, html_url: url(number, id) };
        fake.comments.set(Number(number), [...(fake.comments.get(Number(number)) ?? []), made]);
        return answer(201, made);
      },
    ],
    [
      /^PATCH \/repos\/acme\/shop\/issues\/comments\/(\d+)$/,
      ([id], { body = '' }) => {
        const found = all().find((one) => one.id === Number(id));
        if (!found) return answer(404, {});
        found.body = body;
        return answer(200, found);
      },
    ],
  ];
  function route(asked: string, sent: { body?: string }): Incoming {
    for (const [pattern, handle] of ROUTES) {
      const found = pattern.exec(asked);
      if (found) return handle(found.slice(1), sent);
    }
    return answer(404, { message: 'Not Found' });
  }
  return fake;
}

export interface Delivery {
  headers: Record<string, string>;
  body: Buffer;
}

/** A delivery as GitHub sends it. */
export function deliver(event: string, payload: object, { secret = SECRET, id = 'd-1' } = {}): Delivery {
  const body = Buffer.from(JSON.stringify({ repository: REPOSITORY, ...payload }));
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return { headers: { 'x-github-event': event, 'x-github-delivery': id, 'x-hub-signature-256': signature }, body };
}

const AT = '2026-11-30T12:00:00Z';

export const issueOf = (more: object = {}) => ({
  number: 12,
  title: 'The cart is empty',
  body: 'After a reload, the cart is empty.',
  user: STRANGER,
  updated_at: AT,
  ...more,
});

export const labeled = (sender: FakeUser, { label = 'tiny', issue = {} }: { label?: string; issue?: object } = {}) =>
  deliver('issues', { action: 'labeled', sender, label: { name: label }, issue: issueOf(issue) });

export const commented = (
  user: FakeUser,
  body: string,
  more: {
    id?: number;
    action?: string;
    issue?: object;
    association?: string;
    sender?: FakeUser;
    repository?: object;
  } = {},
) =>
  deliver('issue_comment', {
    ...(more.repository && { repository: more.repository }),
    action: more.action ?? 'created',
    sender: more.sender ?? user,
    issue: issueOf(more.issue),
    comment: { id: more.id ?? 77, body, user, author_association: more.association ?? 'MEMBER', created_at: AT },
  });
