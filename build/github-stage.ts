/** What function `github` needs on a stage: a webhook's secret, somebody of GitHub who is `alice`, and a GitHub that lets her. */
import { createHmac } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { asImpersonated } from '../lib/identity/impersonation-headers.ts';
import { personOf } from '../local/people.ts';
import type { Ask } from './program.ts';
import { PROJECT } from './stage.ts';

const SECRET = 'fake-webhook-secret';
const USER = { id: 1, login: 'alice', type: 'User' };
const REPOSITORY = {
  ...{ id: 42, full_name: 'acme/shop', default_branch: 'main' },
  clone_url: 'https://github.com/acme/shop.git',
};

function files(folder: string, content: Record<string, string>): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(content)) writeFileSync(join(folder, name), text);
  return folder;
}

/** What a fake GitHub answers to whatever it is asked for. */
function answerOf(path: string): unknown {
  if (path.endsWith('/permission')) return { permission: 'write', user: { id: USER.id } };
  if (path.includes('/comments?')) return [];
  return { private: true, id: 1, html_url: 'https://github.com/acme/shop/issues/1#issuecomment-1' };
}

/** A fake GitHub; it keeps no process alive. Gives its address. */
export async function fakeGitHub(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerOf(request.url ?? '')));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The environment of function `github`, whose files lie in `folder`. */
export async function githubEnv(folder: string, api?: string): Promise<Record<string, string>> {
  const { username, groups } = asImpersonated(personOf('alice', ''));
  const people = [{ username, groups, github: [USER.id] }];
  const projects = [{ namespace: PROJECT, github: [REPOSITORY.full_name] }];
  return {
    TINY_GITHUB: files(join(folder, 'github'), { 'webhook-secret': SECRET, token: 'fake' }),
    TINY_IDENTITIES: files(join(folder, 'github-identities'), { 'identities.json': JSON.stringify({ people }) }),
    TINY_INTAKE: files(join(folder, 'github-intake'), { 'projects.json': JSON.stringify({ projects }) }),
    TINY_GITHUB_API: api ?? (await fakeGitHub()),
  };
}

/** Somebody has labelled issue `number`, just now. */
export function newLabel(number: number): Ask {
  const issue = { number, title: 'Fix it', body: 'It is broken.', user: USER, updated_at: new Date().toISOString() };
  const body = JSON.stringify({
    action: 'labeled',
    label: { name: 'tiny' },
    issue,
    sender: USER,
    repository: REPOSITORY,
  });
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-github-event': 'issues', 'x-hub-signature-256': signature };
  return { headers, body };
}
