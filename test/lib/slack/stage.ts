/** Function slack against an API server in memory and a fake Slack. What people may do, a hook decides as admission would. */
import { FakeSlack } from '../../../bench/fake-slack.ts';
import { CHANNEL, type PressOf, pressBody, signedBySlack, TEAM } from '../../../build/slack-press.ts';
import type { Identities } from '../../../lib/identity/mapping.ts';
import type { Projects } from '../../../lib/intake/projects.ts';
import { QUESTIONS, SESSIONS } from '../../../lib/kube/types.ts';
import { slackApi } from '../../../lib/slack/api.ts';
import { idOf } from '../../../lib/slack/blocks.ts';
import { type HandleOptions, handleSlack } from '../../../lib/slack/handle.ts';
import { type Hooks, MemoryServer } from '../../support/memory-client.ts';
import { makeQuestion, makeSession, NOW } from '../../support/objects.ts';

export const SECRET = 'fake-signing-secret';
export const REF = { namespace: 'team-a', name: 'fix-1' };
export const SHOWN = { ...REF, uid: 'uid-of-fix-1' };

export const PEOPLE: Identities = {
  people: [
    { username: 'alice', groups: ['team'], slack: [`${TEAM}/U1`] },
    { username: 'bob', groups: ['team'], slack: [`${TEAM}/U2`] },
  ],
};
const PROJECTS: Projects = {
  projects: [
    { namespace: 'team-a', slack: [`${TEAM}/${CHANNEL}`], session: { repository: { url: 'https://git.example/a' } } },
  ],
};

export type Stage = ReturnType<typeof slackStage>;

export function slackStage({ hooks = {}, ...more }: { hooks?: Hooks } & Partial<HandleOptions> = {}) {
  const server = new MemoryServer(hooks);
  const slack = new FakeSlack();
  const logged: string[] = [];
  const pending: Promise<unknown>[] = [];
  let now = NOW;
  const log = (fields: object, message: string) => void logged.push(JSON.stringify({ ...fields, message }));
  const options: HandleOptions = {
    client: server.client('tiny-slack'),
    api: slackApi({ post: slack.post, url: 'https://slack.example/api/', token: () => 'xoxb' }),
    now: () => now,
    identities: () => PEOPLE,
    projects: () => PROJECTS,
    secrets: () => [SECRET],
    later: (work) => void pending.push(work),
    sleep: () => new Promise(() => undefined),
    log: { info: log, warn: log },
    ...more,
  };
  server.put(SESSIONS, makeSession());
  server.put(QUESTIONS, makeQuestion());
  const send = (body: string, seconds = now.getTime() / 1000) => handleSlack(signedBySlack(body, seconds), options);
  return {
    ...{ server, slack, options, logged, pending, send },
    press: (more: Partial<PressOf> = {}) =>
      send(pressBody({ user: 'U1', block: idOf(SHOWN), option: 'allow', ...more })),
    command: (text: string, trigger = '1.1', user = 'U1') =>
      send(
        new URLSearchParams({
          ...{ command: '/tiny', text, team_id: TEAM, channel_id: CHANNEL, user_id: user, trigger_id: trigger },
        }).toString(),
      ),
    at: (time: string) => {
      now = new Date(time);
    },
    question: () => server.peek(QUESTIONS, REF),
    patches: () => server.asked.filter(({ verb }) => verb === 'patch').map(({ user }) => user),
    said: () => slack.whispers.map(({ text }) => text).join('\n'),
  };
}
