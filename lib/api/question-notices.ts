/** Where people were told of a Question: which message is brought up to date when it is decided. */
import { z } from 'zod';
import { timestamp } from './schema-parts.ts';

const notice = z.object({
  channel: z.string().min(1).max(32).describe('The kind of channel: slack, webhook.'),
  to: z.string().min(1).max(256).optional().describe('Where in it: the id of a Slack channel.'),
  id: z.string().min(1).max(256).optional().describe("The channel's own name of the message: the ts of Slack."),
  state: z
    .enum(['Sending', 'Sent', 'Failed'])
    .describe('Sending is written before anything is sent, so that a Question is told once.'),
  shown: z.string().max(64).optional().describe('A digest of what the message shows.'),
  at: timestamp().describe('When the last try began.'),
  tries: z.int().min(0).describe('How often it was tried in vain since it last worked.'),
  reminded: z.boolean().optional().describe('Whether people were reminded before it expires.'),
  again: timestamp().optional().describe('When it may be tried again.'),
});

export const notices = () =>
  z
    .array(notice)
    .max(8)
    .optional()
    .describe('Where people were told of the Question, and what they see there.')
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['channel'] });

export type Notice = z.infer<typeof notice>;
