/** Function `github`: woken by a delivery of GitHub, and by a Session or a Question that changed. */
import type { Called } from '../lib/called.ts';
import { makeGitHub } from '../lib/github/api.ts';
import { takeEvent } from '../lib/github/event.ts';
import { handleGitHub } from '../lib/github/handle.ts';
import { send } from '../lib/github/http.ts';
import { tellSession } from '../lib/github/tell.ts';
import { tokens } from '../lib/github/token.ts';
import { makeTold } from '../lib/github/told.ts';
import { makeTurns } from '../lib/github/turns.ts';
import { parseIdentities } from '../lib/identity/mapping.ts';
import { parseProjects } from '../lib/intake/projects.ts';
import type { Ref } from '../lib/kube/types.ts';
import { linesOf, mounted } from './files.ts';
import { type Edge, type Handler, runHook } from './hook.ts';

/** GitHub sends 25 MB at most, and of what is read here far less: an issue's text has 65,536 characters. */
const MAX_BYTES = 4 * 1024 * 1024;

const now = () => new Date();
const trimmed = (text: string) => text.trim();

function makeHandler({ env, client, log, later }: Edge): Handler {
  const file = (name: string) => mounted(env.TINY_GITHUB, name, trimmed);
  const [token, appId, installationId, privateKey] = ['token', 'app-id', 'installation-id', 'private-key'].map(file);
  const credentials = () => ({
    ...{ token: token?.() ?? '', appId: appId?.() ?? '' },
    ...{ installationId: installationId?.() ?? '', privateKey: privateKey?.() ?? '' },
  });
  const way = { send, url: env.TINY_GITHUB_API, now };
  const secrets = mounted(env.TINY_GITHUB, 'webhook-secret', linesOf);
  const options = {
    ...{ client, log, now, secrets, secret: () => secrets()[0] ?? '', told: makeTold() },
    github: makeGitHub({ ...way, token: tokens(credentials, way) }),
    identities: mounted(env.TINY_IDENTITIES, 'identities.json', (text) => parseIdentities(text || '{}')),
    projects: mounted(env.TINY_INTAKE, 'projects.json', parseProjects),
  };
  const turns = makeTurns();
  const tell = (session: Ref) => turns.run(`${session.namespace}/${session.name}`, () => tellSession(session, options));
  return async ({ method, path, headers, body }: Called) => {
    if (method !== 'POST') return { status: method === 'GET' && path === '/' ? 204 : 405 };
    // Whoever sends an event here only has a Session read, and its comment brought up to date.
    if (headers['ce-type'] !== undefined) return await takeEvent({ headers, body }, { client, log, tell });
    return await handleGitHub({ headers, body }, { ...options, tellLater: (session) => later(tell(session)) });
  };
}

runHook('github', MAX_BYTES, makeHandler);
