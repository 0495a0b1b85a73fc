/** Function `question`: woken by a Question added or updated; tells people, and when it is answered acts as the answerer. */
import { notify } from '../lib/channel/notify.ts';
import { post } from '../lib/channel/post.ts';
import { webhookChannel } from '../lib/channel/webhook.ts';
import type { Client } from '../lib/kube/types.ts';
import { questionsWithin } from '../lib/question/plan.ts';
import { withdraw } from '../lib/question/withdraw.ts';
import { slackApi } from '../lib/slack/api.ts';
import { slackChannel } from '../lib/slack/channel.ts';
import { type Environment, environment } from './env.ts';
import { mounted } from './files.ts';
import { clientOf, run } from './main.ts';
import { waking } from './waking.ts';

const now = () => new Date();

function channelsOf(env: Environment) {
  const secret = (name: string) => mounted(env.TINY_CHANNELS, name, (text) => text.trim());
  const slack = slackChannel(slackApi({ post, url: env.TINY_SLACK_API, token: secret('bot-token') }));
  return {
    slack: waking(slack, env.TINY_SLACK_URL),
    webhook: webhookChannel({
      ...{ post, now: Date.now, secret: secret('webhook-secret') },
      anywhere: env.TINY_WEBHOOKS_ANYWHERE === 'true',
    }),
  };
}

function besides(env: Environment, client: Client) {
  // Of its own, for an apply takes away what it leaves out: what people were told, and what came of it.
  const notices = clientOf(env, 'tiny-notice');
  const channels = channelsOf(env);
  return async (ref: { namespace: string; name: string }) => {
    const withdrawn = await withdraw(ref, { client, now });
    return withdrawn ?? notify(ref, { client: notices, channels, now });
  };
}

run('question', questionsWithin(environment().TINY_MAX_AGE), besides);
