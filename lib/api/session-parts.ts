/** The parts of a Session's spec, each a schema of its own: agent, repository, storage, network. */
import { z } from 'zod';
import { dnsLabel, dnsSubdomain, quantity } from './schema-parts.ts';

/** Agents that come with the harness; any other is named with its command. */
export const PRESETS = ['claude-code', 'codex', 'gemini', 'opencode', 'rehearsal'] as const;

/** What an agent may be allowed to do unasked: the kinds of tool call of the Agent Client Protocol. */
export const toolKind = z.enum(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'other']);

export const agent = z.object({
  name: dnsLabel()
    .default('claude-code')
    .describe(`The preset: ${PRESETS.join(', ')}; any other name needs \`command\`.`),
  image: z.string().min(1).max(512).optional().describe("The image of the agent's container. Default: the preset's."),
  command: z
    .array(z.string().min(1).max(256))
    .max(16)
    .optional()
    .describe(
      'How an agent that speaks the Agent Client Protocol on its standard streams is started. Default: as the preset says.',
    )
    .meta({ 'x-kubernetes-list-type': 'atomic' }),
  args: z
    .array(z.string().max(512))
    .max(32)
    .optional()
    .describe('Further arguments of the agent.')
    .meta({ 'x-kubernetes-list-type': 'atomic' }),
  model: z.string().min(1).max(256).optional().describe('The model that the agent is asked to use.'),
  baseUrl: z
    .string()
    .max(2048)
    .regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/, 'must be an http or https URL without a user, a query or a fragment')
    .optional()
    .describe(
      "Where the preset's agent asks its model: a gateway, vLLM, Ollama. Default: the maker's. The pod may connect to its port.",
    ),
  mode: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe(
      'The mode that the agent works in, of those that it offers. Default: the one of the preset, in which it asks before it acts.',
    ),
  env: z
    .array(
      z.object({
        name: z
          .string()
          .min(1)
          .max(256)
          .regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
        value: z.string().max(32768),
      }),
    )
    .max(64)
    .optional()
    .describe(
      'Environment variables of the agent. Values are readable by whoever may read Sessions: a secret belongs into `credentials`.',
    )
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
});

export const storage = z.object({
  size: quantity()
    .default('10Gi')
    .describe('How large the volume is that holds the repository, the conversation and the journal.'),
  className: dnsSubdomain().optional().describe("The storage class. Default: the cluster's."),
  accessMode: z
    .enum(['ReadWriteOnce', 'ReadWriteOncePod', 'ReadWriteMany'])
    .default('ReadWriteOnce')
    .describe('How the volume may be mounted.'),
  retain: z.boolean().default(false).describe('Whether the volume outlives the Session.'),
  dataSource: z
    .object({ apiGroup: z.string().max(253).optional(), kind: z.string().min(1).max(63), name: dnsSubdomain() })
    .optional()
    .describe('What to fill the volume from: a claim or a VolumeSnapshot.'),
});

export const network = z.object({
  egress: z
    .array(
      z.object({
        cidr: z
          .string()
          .min(3)
          .max(64)
          .regex(/^[0-9a-fA-F.:]+\/[0-9]{1,3}$/, 'must be an address range such as 10.1.0.0/16'),
        ports: z
          .array(z.int().min(1).max(65535))
          .max(32)
          .optional()
          .describe('TCP ports. Default: all.')
          .meta({ 'x-kubernetes-list-type': 'atomic' }),
      }),
    )
    .max(64)
    .optional()
    .describe(
      'Where the pod may connect to besides DNS, TCP 443 and 6443, and the ports of `repository.url` and `agent.baseUrl`.',
    )
    .meta({ 'x-kubernetes-list-type': 'atomic' }),
});

export const toleration = z.object({
  key: z.string().max(316).optional(),
  operator: z.enum(['Equal', 'Exists']).optional(),
  value: z.string().max(63).optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']).optional(),
  tolerationSeconds: z.int().optional(),
});
