/**
 * The tool `spawn`: asks a person for another Session. The Question holds the whole spec of the child, since what
 * was approved is what is made; what the agent doesn't say is as in its own Session.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { findCondition } from '../../lib/api/conditions.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Question, QuestionSpec } from '../../lib/api/question.ts';
import { repository as repositorySchema } from '../../lib/api/repository.ts';
import { dnsLabel } from '../../lib/api/schema-parts.ts';
import {
  MAX_NAME,
  MAX_PROMPT_BYTES,
  type Session,
  type SessionRequest,
  sessionRequest,
} from '../../lib/api/session.ts';
import { agent as agentSchema, PRESETS } from '../../lib/api/session-parts.ts';
import { cut } from '../cut.ts';
import type { Asking, Closed, Settled } from './asking.ts';
import { type ToolContext, ToolRefusal } from './tool.ts';

export const spawnInput = {
  prompt: z
    .string()
    .min(1, 'say what the other agent is to do')
    .max(
      MAX_PROMPT_BYTES,
      `shorten the prompt to ${MAX_PROMPT_BYTES} bytes; put the rest into a file of the repository`,
    )
    .describe('What the other agent is to do, with all that it needs to know: it does not see this conversation.'),
  name: dnsLabel(MAX_NAME).optional().describe('The name of the new Session. Default: made from the name of this one.'),
  agent: dnsLabel()
    .optional()
    .describe(`Another agent: ${PRESETS.join(', ')}. Default: this Session's.`),
  repository: z
    .object({ url: z.string().min(1).max(2048), ref: repositorySchema.shape.ref })
    .optional()
    .describe("Another repository to work on. Default: this Session's."),
};
type SpawnInput = z.infer<z.ZodObject<typeof spawnInput>>;

/** The child's spec: the parent's as far as a person asks for it, and what the agent wants different. Pure. */
export function childSpec(parent: Session, { prompt, agent, repository }: SpawnInput): SessionRequest {
  const inherited = sessionRequest.parse(parent.spec);
  const { storage } = inherited;
  const { dataSource: _dataSource, ...fresh } = storage;
  return {
    ...inherited,
    prompt,
    storage: fresh,
    ...(agent !== undefined && agent !== inherited.agent.name && { agent: agentSchema.parse({ name: agent }) }),
    ...(repository && { repository: repositoryOf(parent, repository) }),
  };
}

/** Credentials are for the repository that they were given for. */
function repositoryOf({ spec: { repository: own } }: Session, { url, ref }: NonNullable<SpawnInput['repository']>) {
  const base = own?.url === url ? own : { url, depth: own?.depth ?? 1 };
  return { ...base, ...(ref !== undefined && { ref }) };
}

const generatedName = (parent: string, content: unknown, occurrence: number): string => {
  const sum = createHash('sha256')
    .update(JSON.stringify([content, occurrence]))
    .digest('hex');
  return `${parent.slice(0, MAX_NAME - 7).replace(/-+$/, '')}-${sum.slice(0, 6)}`;
};

/** Asks for the child and gives its name. Throws `ToolRefusal` with the reason where it is not made. */
export function spawn(
  asking: Asking,
  { input, parent }: { input: SpawnInput; parent: Stored<Session> },
  { session, signal, progress }: ToolContext,
): Promise<string> {
  const spec = childSpec(parent, input);
  const content = ['spawn', input.name, spec];
  const question = (occurrence: number): QuestionSpec => {
    const name = input.name ?? generatedName(session, content, occurrence);
    return {
      session,
      kind: 'Spawn',
      text: `May the agent of Session ${session} start another Session, ${name}? It is to do: ${cut(input.prompt, 8192)}`,
      options: [
        { id: 'allow', text: `Make the Session ${name}`, effect: 'Allow' },
        { id: 'deny', text: 'No', effect: 'Deny' },
      ],
      spawn: { name, spec },
    };
  };
  const isNamed = input.name !== undefined;
  return asking
    .ask({ content, spec: question, signal, progress }, (asked, decision) => outcome(asked, decision, isNamed))
    .then(({ child, refusal }) => {
      if (child === undefined) throw new ToolRefusal(refusal ?? 'the Session was not made');
      return child;
    });
}

type Outcome = { child?: string; refusal?: string };

/** Settled by a no, or once the yes was acted on. A child of a given name is made once, however often it is asked for. */
function outcome(question: Stored<Question>, decision: Closed, isNamed: boolean): Settled<Outcome> | undefined {
  const refused = (refusal: string) => ({ value: { refusal }, again: true });
  if (decision.state === 'expired') return refused('Nobody answered in time, so the Session was not made.');
  if (!decision.allowed) return refused(`The Session was not made: ${decision.by?.username ?? 'somebody'} said no.`);
  const acted = findCondition(question, 'Acted');
  if (!acted || acted.status === 'Unknown') return undefined;
  if (acted.status === 'False') return refused(`The Session could not be made (${acted.reason}): ${acted.message}`);
  return { value: { child: question.status?.child ?? question.spec.spawn?.name ?? '' }, again: !isNamed };
}
