/**
 * The way in for every other tracker: one signed request with JSON makes one Session, as the person that it names. Whoever
 * has a source's secret may name anybody whom the identities know, so a source works in the projects that are given to it
 * and nowhere else. Format: docs/intake.md.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import type { Answered, Called } from '../called.ts';
import { type Identities, type Outsider, SLACK_ID, whoIs } from '../identity/mapping.ts';
import type { Client } from '../kube/types.ts';
import { type Projects, projectOf } from './projects.ts';
import { startSession } from './start.ts';

export interface IntakeOptions {
  client: Client;
  now: () => Date;
  /** The secrets of a source, none where there is no such source; more than one while it is being changed. */
  secretsOf: (source: string) => readonly string[];
  identities: () => Identities;
  projects: () => Projects;
}

interface Asked extends Pick<Called, 'headers' | 'body'> {
  /** Which tracker it came from. */
  source: string;
}

interface Answer extends Answered {
  body: object;
}

const WINDOW_SECONDS = 300;
const HEADER = /^t=([0-9]{1,12}),v1=([0-9a-f]{64})$/;

/** Whether it was signed with one of the secrets, just now: HMAC-SHA256 over `SECONDS.BODY`. */
export function isSigned(
  header: string | undefined,
  body: Buffer,
  { secrets, now }: { secrets: readonly string[]; now: number },
): boolean {
  const [, time, hex] = HEADER.exec(header ?? '') ?? [];
  if (!time || !hex || Math.abs(now / 1000 - Number(time)) > WINDOW_SECONDS) return false;
  const given = Buffer.from(hex, 'hex');
  const signs = (secret: string) =>
    secret !== '' && timingSafeEqual(given, createHmac('sha256', secret).update(`${time}.`).update(body).digest());
  return secrets.map(signs).includes(true);
}

const by = z.union([
  z.strictObject({ email: z.string().check(z.maxLength(320)) }),
  z.strictObject({ slack: z.string().check(z.regex(SLACK_ID)) }),
  z.strictObject({ github: z.int().check(z.minimum(1)) }),
]);
const schema = z.strictObject({
  /** What the source calls what it asks for; the same again is the same Session. */
  key: z.string().check(z.minLength(1), z.maxLength(512)),
  by,
  prompt: z.string().check(z.minLength(1), z.maxLength(262_144)),
});

function outsider(who: z.infer<typeof by>): Outsider {
  if ('email' in who) return { from: 'email', address: who.email };
  if ('github' in who) return { from: 'github', id: who.github };
  const [team = '', user = ''] = who.slack.split('/');
  return { from: 'slack', team, user };
}

const problem = (status: number, reason: string, message: string): Answer => ({
  status,
  body: { reason, message },
});

/** Answers a request. Throws what passes by itself. */
export async function takeIn({ source, headers, body }: Asked, options: IntakeOptions): Promise<Answer> {
  const signing = { secrets: options.secretsOf(source), now: options.now().getTime() };
  if (!isSigned(headers['tiny-signature'], body, signing))
    return problem(401, 'Unsigned', 'the request is not signed, or not just now; docs/intake.md says how');
  const asked = read(body);
  if (!asked)
    return problem(400, 'Unreadable', 'key, by and prompt are needed, and nothing else; docs/intake.md says how');
  const project = projectOf(options.projects(), 'intake', source);
  if (!project) return problem(403, 'NoProject', `ConfigMap tiny-intake gives no project to ${source}`);
  const who = whoIs(options.identities(), outsider(asked.by));
  if ('refusal' in who) return problem(403, who.refusal, who.message);
  const { namespace, session: defaults = {} } = project;
  const key = `intake\n${source}\n${asked.key}`;
  const started = await startSession(options.client, {
    namespace,
    key,
    prompt: asked.prompt,
    defaults,
    person: who.person,
  });
  if (started.kind === 'refused') return problem(403, 'Refused', started.message);
  const { name, uid } = started.session.metadata;
  return { status: started.anew ? 201 : 200, body: { namespace, name, uid } };
}

function read(body: Buffer): z.infer<typeof schema> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const result = z.safeParse(schema, JSON.parse(text));
    return result.success ? result.data : undefined;
  } catch {
    return undefined;
  }
}
