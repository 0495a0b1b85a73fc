/** What function `slack` needs on a stage: a signing secret, somebody from Slack who is `alice`, and Questions to press on. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Question } from '../lib/api/question.ts';
import { asImpersonated } from '../lib/identity/impersonation-headers.ts';
import { QUESTIONS } from '../lib/kube/types.ts';
import { idOf } from '../lib/slack/blocks.ts';
import { personOf } from '../local/people.ts';
import type { Ask } from './program.ts';
import { pressBody, SECRET, signedBySlack, TEAM } from './slack-press.ts';
import { PROJECT, type Stage } from './stage.ts';

const USER = 'U0000001';

function files(folder: string, content: Record<string, string>): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(content)) writeFileSync(join(folder, name), text);
  return folder;
}

/** The environment of function `slack`, whose files lie in `folder`. `api`: where a fake Slack is; none is reached otherwise. */
export function slackEnv(folder: string, api = 'http://127.0.0.1:9/api/'): Record<string, string> {
  const { username, groups = [] } = asImpersonated(personOf('alice', ''));
  const people = [{ username, groups, slack: [`${TEAM}/${USER}`] }];
  return {
    TINY_CHANNELS: files(join(folder, 'channels'), { 'signing-secret': SECRET, 'bot-token': 'xoxb-fake' }),
    TINY_IDENTITIES: files(join(folder, 'identities'), { 'identities.json': JSON.stringify({ people }) }),
    TINY_INTAKE: files(join(folder, 'intake'), {}),
    TINY_SLACK_API: api,
  };
}

/** A yes to a Question, just now. */
export function pressOn({ metadata: { name, uid = '' } }: Question): Ask {
  const block = idOf({ namespace: PROJECT, name, uid });
  const seconds = Math.floor(Date.now() / 1000);
  const { headers, body } = signedBySlack(pressBody({ user: USER, block, option: 'allow' }), seconds);
  return { headers, body: body.toString() };
}

/** A Question that nobody has answered. */
export const newQuestion = (stage: Stage, name: string): Promise<Question> =>
  stage.as('alice').create(QUESTIONS, {
    apiVersion: 'tiny.dev/v1alpha1',
    kind: 'Question',
    metadata: { name, namespace: PROJECT },
    spec: {
      ...{ session: 'first', kind: 'Ask', text: 'Which?' },
      options: [
        { id: 'allow', text: 'This' },
        { id: 'deny', text: 'That' },
      ],
    },
  });

/** A press on a Question of its own. */
export const newPress = async (stage: Stage, name: string): Promise<Ask> => pressOn(await newQuestion(stage, name));
