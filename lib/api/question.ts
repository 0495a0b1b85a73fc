/**
 * Question: what an agent asks a person. What is asked can't change once it is asked, and it is answered once: so
 * what was approved is what is done. The schema is the single source of the type, the CRD and the reference page.
 */
import { z } from 'zod';
import type { API_VERSION, KubeObject } from './meta.ts';
import { notices } from './question-notices.ts';
import { MAX_OBJECTS, proposal } from './question-parts.ts';
import { conditions, dnsLabel, person, timestamp } from './schema-parts.ts';
import { MAX_NAME, sessionRequest } from './session.ts';
import { toolKind } from './session-parts.ts';

/** What choosing an option means for the act that waits; an option of an Ask has none. */
export const effect = z.enum(['Allow', 'AllowAlways', 'Deny', 'DenyAlways']);

const option = z.object({
  id: dnsLabel().describe('Names the option in an answer.'),
  text: z.string().min(1).max(256).describe('The option as a person reads it.'),
  effect: effect.optional().describe('What choosing it means for the act that waits.'),
});

const toolCall = z.object({
  id: z.string().min(1).max(256).describe("The agent's own name of the call."),
  title: z.string().min(1).max(1024),
  kind: toolKind.default('other'),
  input: z
    .string()
    .max(65536)
    .optional()
    .describe('The input of the call as JSON, whole: the command, the folder, the text.'),
  command: z
    .string()
    .max(65536)
    .optional()
    .describe('The command that is run, whole, as a shell reads it: the same as in `input`.'),
  folder: z.string().max(4096).optional().describe('The folder that it is run in, where the agent says so.'),
  diff: z.string().max(262144).optional().describe('What an edit changes, as a unified diff.'),
});

const spawn = z.object({
  name: dnsLabel(MAX_NAME).describe('The name of the Session to make.'),
  spec: sessionRequest.describe('The spec of the Session to make, whole.'),
});

export const answer = z.object({
  option: dnsLabel().optional().describe('The id of the chosen option.'),
  text: z.string().min(1).max(16384).optional().describe('Free text, for an Ask.'),
  shown: z
    .array(
      z
        .string()
        .length(64)
        .regex(/^[0-9a-f]{64}$/),
    )
    .max(MAX_OBJECTS)
    .optional()
    .describe(
      'For an Apply: what the answerer was shown that each object would change, as a SHA-256 each. What would change otherwise by then is not applied. Default: the manifests alone were shown.',
    )
    .meta({ 'x-kubernetes-list-type': 'atomic' }),
  at: timestamp().optional().describe("When it was answered, by the answerer's clock."),
  by: person.optional().describe('Who answered. Stamped by admission; never written by a client.'),
});

export const questionSpec = z.object({
  session: dnsLabel(MAX_NAME).describe('The Session whose agent asks.'),
  kind: z
    .enum(['Ask', 'Permit', 'Spawn', 'Apply'])
    .describe('Ask: words. Permit: a tool call of the agent. Spawn: another Session. Apply: Kubernetes objects.'),
  text: z.string().min(1).max(16384).describe('The question as a person reads it.'),
  options: z
    .array(option)
    .max(16)
    .optional()
    .describe('What may be chosen. An Ask without options is answered in words.')
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] }),
  expiresAt: timestamp().optional().describe('When the question is no longer open. Default: never.'),
  defaultOption: dnsLabel()
    .optional()
    .describe('The option that holds once the question has expired. Default: none, which denies.'),
  toolCall: toolCall.optional().describe('What is done on yes, for a Permit.'),
  spawn: spawn.optional().describe('What is made on yes, for a Spawn.'),
  apply: proposal.optional().describe('What is applied on yes, for an Apply.'),
  answer: answer.optional().describe('The answer. Absent when asked; set once.'),
});

export const questionStatus = z.object({
  conditions: conditions(),
  child: z.string().max(63).optional().describe('The Session that the yes has made.'),
  notices: notices(),
});

export type Effect = z.infer<typeof effect>;
export type Answer = z.infer<typeof answer>;
export type QuestionSpec = z.infer<typeof questionSpec>;
export type QuestionStatus = z.infer<typeof questionStatus>;
export interface Question extends KubeObject {
  apiVersion: typeof API_VERSION;
  kind: 'Question';
  spec: QuestionSpec;
  status?: QuestionStatus;
}
