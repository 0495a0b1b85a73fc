/**
 * Session: the wish for one agent working on one task. The schema is the single source of the type, the CRD in
 * `crds/` and the reference page. Fields that say what the agent was asked to do can't change once asked; those
 * that say how it is run can.
 */
import { z } from 'zod';
import { approvals } from './approvals.ts';
import { budget, plan, usage } from './budget.ts';
import type { API_VERSION, KubeObject } from './meta.ts';
import { repository } from './repository.ts';
import { conditions, dnsLabel, dnsSubdomain, duration, person, stringMap, timestamp } from './schema-parts.ts';
import { agent, network, storage, toleration } from './session-parts.ts';

/** The longest name of a Session: 23 characters of a 63-character pod name stay for the workload's hashes. */
export const MAX_NAME = 40;
/** The longest prompt, in bytes of UTF-8: as base64 in a Secret it stays well below the API server's 1 MiB. */
export const MAX_PROMPT_BYTES = 256 * 1024;

/** The most messages that a Session takes. */
export const MAX_MESSAGES = 64;

/** What a person or an answered Question asks for; `sessionSpec` adds what only a living Session has. */
export const sessionRequest = z.object({
  prompt: z.string().min(1).max(MAX_PROMPT_BYTES).describe('What the agent is to do.'),
  agent: agent.default({ name: 'claude-code' }).describe('Which agent, and how it is started.'),
  repository: repository.optional().describe('The git repository to work on.'),
  credentials: z
    .array(z.object({ secret: dnsSubdomain().describe('The name of a Secret of the project.') }))
    .max(16)
    .optional()
    .describe("Secrets whose keys become the agent's environment variables. They are named, never copied.")
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['secret'] }),
  storage: storage
    .default({ size: '10Gi', accessMode: 'ReadWriteOnce', retain: false })
    .describe('The volume that survives the pod.'),
  resources: z
    .object({ requests: stringMap().optional(), limits: stringMap().optional() })
    .optional()
    .describe("CPU and memory of the agent's container."),
  nodeSelector: stringMap().optional().describe('Labels that the node must have.'),
  tolerations: z
    .array(toleration)
    .max(32)
    .optional()
    .describe('Taints that the pod tolerates.')
    .meta({ 'x-kubernetes-list-type': 'atomic' }),
  runtimeClassName: dnsSubdomain().optional().describe('The runtime class, for stronger isolation.'),
  network: network.optional().describe('What the pod may reach. All else is denied.'),
  approvals: approvals.default({ allow: ['read', 'search', 'think'] }).describe('What needs no yes.'),
  budget: budget.optional().describe('At which use a person is asked whether to go on. Default: none.'),
  idle: z
    .object({
      suspendAfter: duration()
        .optional()
        .describe('Take the workload to zero after waiting this long for an answer or a message. Default: never.'),
      finishAfter: duration().default('0s').describe('Finish this long after the last turn, if no message came.'),
      stalledAfter: duration()
        .default('1h')
        .describe(
          'Start the agent again when it has said nothing for this long in a turn and waits for no answer; three times at most. `0s`: never.',
        ),
    })
    .default({ finishAfter: '0s', stalledAfter: '1h' })
    .describe('What happens when there is nothing to do.'),
  deadline: duration().optional().describe('How long after its creation the Session is ended, whatever it does.'),
  ttlAfterFinished: duration().optional().describe('How long after finishing the Session is deleted. Default: never.'),
});

export const sessionSpec = sessionRequest.extend({
  suspend: z.boolean().default(false).describe('Take the workload to zero and keep its volume.'),
  messages: z
    .array(
      z.object({
        id: dnsLabel().describe('Names the message, so that sending it twice is sending it once.'),
        text: z.string().min(1).max(16384),
      }),
    )
    .max(MAX_MESSAGES)
    .optional()
    .describe('What people said to the agent after the prompt, in order.')
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] }),
  parent: dnsLabel(MAX_NAME).optional().describe('The Session whose agent asked for this one.'),
  touched: timestamp()
    .optional()
    .describe('When a person last said that this Session is to go on; `tiny touch` sets it.'),
  requester: person
    .optional()
    .describe('Whose act made the spec what it is now. Stamped by admission; never written by a client.'),
});

const result = z.object({
  summary: z.string().max(4096).optional().describe("The agent's last words."),
  branch: z.string().max(255).optional(),
  commit: z.string().max(64).optional().describe('The last commit that the agent made.'),
  commits: z.int().min(0).optional(),
  filesChanged: z.int().min(0).optional(),
  pushed: z
    .object({
      branch: z.string().max(255).describe('The branch of the remote.'),
      commit: z.string().max(64).describe('What it was last set to.'),
    })
    .optional()
    .describe('What was pushed; told by the tools, which did it.'),
  pullRequest: z.string().max(2048).optional().describe('The URL of the pull or merge request.'),
});

export const sessionStatus = z.object({
  conditions: conditions(),
  message: z.string().max(1024).optional().describe("The agent's own line about what it does."),
  agentSessionId: z.string().max(256).optional().describe("The agent's own name of the conversation."),
  messagesRead: z
    .int()
    .min(0)
    .optional()
    .describe('How many of `spec.messages` the agent has had, or were passed over when it was to stop.'),
  waitingFor: z
    .array(dnsSubdomain())
    .max(16)
    .optional()
    .describe('The open Questions that the agent waits for.')
    .meta({ 'x-kubernetes-list-type': 'atomic' }),
  usage: usage.optional().describe('What the agent says it used.'),
  budget: budget.optional().describe('What it may use now: `spec.budget`, and as much again for each yes to more.'),
  plan: plan.optional().describe('How far the agent is, by its own plan.'),
  result: result.optional().describe('What came of it.'),
});

export type SessionRequest = z.infer<typeof sessionRequest>;
export type SessionSpec = z.infer<typeof sessionSpec>;
export type SessionStatus = z.infer<typeof sessionStatus>;
export interface Session extends KubeObject {
  apiVersion: typeof API_VERSION;
  kind: 'Session';
  spec: SessionSpec;
  status?: SessionStatus;
}
