/**
 * The part of a Session's spec that is about git. There are two credentials, since reading and writing are two rights:
 * the clone's, which is gone when the agent starts, and the push's, which only the tools hold.
 */
import { z } from 'zod';
import { dnsSubdomain } from './schema-parts.ts';

const pullRequests = z.object({
  provider: z.enum(['github', 'gitlab']).describe('Whose REST API it is.'),
  api: z
    .string()
    .max(2048)
    .regex(
      /^https:\/\/[A-Za-z0-9][A-Za-z0-9._-]*(:[0-9]+)?(\/[A-Za-z0-9._~-]+)*$/,
      'must be https://HOST[:PORT][/PATH] without a slash at its end',
    )
    .optional()
    .describe(
      'Where the API is, such as https://github.example.org/api/v3. Default: that of github.com or gitlab.com.',
    ),
});

export const push = z.object({
  credentialsSecret: dnsSubdomain().describe(
    'A Secret of the project with `username` and `password`, or `ssh-privatekey` and `known_hosts`; `token` is for the API, default `password`. Only the tools mount it, never the agent.',
  ),
  unasked: z.boolean().default(false).describe('Push and propose without a Question.'),
  pullRequests: pullRequests.optional().describe('Where pull or merge requests are opened. Default: nowhere.'),
});

export const repository = z.object({
  url: z.string().min(1).max(2048).describe('Where to clone from: HTTPS, HTTP or SSH.'),
  ref: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_./@+-]*$/, 'must be a branch, a tag or a commit, and must not start with "-"')
    .optional()
    .describe('Branch, tag or commit. Default: the default branch.'),
  depth: z.int().min(0).max(1_000_000).default(1).describe('How many commits of history to fetch; 0 is all.'),
  submodules: z
    .boolean()
    .optional()
    .describe('Whether submodules are cloned too, with the same credentials. Default: no.'),
  credentialsSecret: dnsSubdomain()
    .optional()
    .describe(
      'A Secret of the project with `username` and `password`, or `ssh-privatekey` and `known_hosts`. Only the clone has it, never the agent.',
    ),
  author: z
    .object({
      name: z
        .string()
        .min(1)
        .max(256)
        .regex(/^[^<>\r\n]+$/, 'must hold no < or > and be one line')
        .optional(),
      email: z
        .string()
        .min(1)
        .max(256)
        .regex(/^[^<>\s]+$/, 'must hold no <, > or blank')
        .optional(),
    })
    .optional()
    .describe("Who the agent's commits are by. Default: `tiny session NAME`, and an address that reaches nobody."),
  push: push.optional().describe("How the agent's branch `tiny/NAME` is pushed. Default: not at all."),
});
