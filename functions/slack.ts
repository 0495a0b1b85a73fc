/** Function `slack`: woken by a press or a command in Slack, or by another tracker at `/intake/SOURCE`; acts as whoever it was. */
import { setTimeout } from 'node:timers/promises';
import type { Called } from '../lib/called.ts';
import { post } from '../lib/channel/post.ts';
import { parseIdentities } from '../lib/identity/mapping.ts';
import { takeIn } from '../lib/intake/intake.ts';
import { parseProjects } from '../lib/intake/projects.ts';
import { slackApi } from '../lib/slack/api.ts';
import { handleSlack } from '../lib/slack/handle.ts';
import { MAX_BYTES } from '../lib/slack/request.ts';
import { linesOf, mounted } from './files.ts';
import { type Edge, type Handler, runHook } from './hook.ts';

const INTAKE = /^\/intake\/([a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?)$/;

function makeHandler({ env, client, log, later }: Edge): Handler {
  const options = {
    ...{ client, log, later, now: () => new Date(), sleep: (ms: number) => setTimeout(ms, undefined, { ref: false }) },
    api: slackApi({
      post,
      url: env.TINY_SLACK_API,
      token: mounted(env.TINY_CHANNELS, 'bot-token', (text) => text.trim()),
    }),
    secrets: mounted(env.TINY_CHANNELS, 'signing-secret', linesOf),
    secretsOf: (source: string) => mounted(env.TINY_CHANNELS, `intake-${source}`, linesOf)(),
    identities: mounted(env.TINY_IDENTITIES, 'identities.json', (text) => parseIdentities(text || '{}')),
    projects: mounted(env.TINY_INTAKE, 'projects.json', parseProjects),
  };
  return async ({ method, path, headers, body }: Called) => {
    // A wake-up call: by now the function is up.
    if (method === 'GET' && path === '/') return { status: 204 };
    if (method !== 'POST') return { status: 405 };
    const [, source] = INTAKE.exec(path) ?? [];
    return source ? takeIn({ source, headers, body }, options) : handleSlack({ headers, body }, options);
  };
}

runHook('slack', MAX_BYTES, makeHandler);
