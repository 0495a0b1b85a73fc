/**
 * What became of an agent's Questions while its process was away. Its call or request ended with the process; asked again
 * in the same words it finds the answer, and an agent that would not ask again is told it here.
 */
import { findCondition } from '../../lib/api/conditions.ts';
import type { Question } from '../../lib/api/question.ts';
import { type Decision, decide } from '../../lib/question/decision.ts';
import { cut } from '../cut.ts';
import type { HarnessOptions, Live } from './context.ts';
import { persistently, ToolsError } from './tools-client.ts';

/** Of a question or an answer, in characters; the answer to what is asked again is whole. */
const SHOWN = 4000;

const AGAIN = 'ask again in exactly the same words';

const ASKED: Record<Question['spec']['kind'], string> = {
  Ask: 'a person',
  Permit: 'permission for',
  Spawn: 'whether',
  Apply: 'whether',
};

/** What one Question has come to, in words for the agent that asked it. Pure. */
function newsOf(question: Question, now: Date): string {
  const { kind, text, toolCall } = question.spec;
  const what = cut(kind === 'Permit' ? (toolCall?.title ?? text) : text, SHOWN);
  return `You had asked ${ASKED[kind]} "${what}", and ${cameOf(question, decide(question, now))}`;
}

function cameOf(question: Question, decision: Decision): string {
  if (decision.state === 'open') return `it is not answered yet: ${AGAIN} to wait for the answer.`;
  const words = chosen(question, decision);
  if (decision.state === 'expired')
    return `nobody answered in time: ${words === undefined ? 'decide for yourself, or ask again' : `go on with the default, ${words}`}.`;
  if (question.spec.kind === 'Ask') return `the answer is: ${cut(words ?? '', SHOWN)}`;
  return decision.allowed ? allowed(question) : 'the answer is no: do without it.';
}

/** The words of the option that holds, or of a free answer. */
const chosen = (
  { spec: { options = [] } }: Question,
  { option, ...rest }: Exclude<Decision, { state: 'open' }>,
): string | undefined => options.find(({ id }) => id === option)?.text ?? ('text' in rest ? rest.text : undefined);

function allowed(question: Question): string {
  if (question.spec.kind === 'Permit') return 'the answer is yes, for exactly that call: make it again as it was.';
  const acted = findCondition(question, 'Acted');
  return acted?.status === 'False'
    ? `the answer was yes, but it could not be done: ${cut(acted.message, SHOWN)}`
    : `the answer is yes: ${AGAIN} to hear what came of it.`;
}

/** Whether tiny asked it and not the agent, at the limit of a budget: what an agent asks of people has options in words alone. */
const isOurs = ({ spec: { kind, options = [] } }: Question): boolean =>
  kind === 'Ask' && options.some(({ effect }) => effect !== undefined);

/** What became of the agent's Questions that the Session waited for when its pod ended, one line each. */
export async function newsFor({ tools, clock, stop }: HarnessOptions, { session }: Live): Promise<string[]> {
  const names = session?.status?.waitingFor ?? [];
  const look = async (name: string): Promise<string[]> => {
    const question = await persistently(() => tools.question(name), { clock, signal: stop }).catch((error) => {
      if (error instanceof ToolsError) return undefined;
      throw error;
    });
    return question && !isOurs(question) ? [newsOf(question, new Date(clock.now()))] : [];
  };
  return (await Promise.all(names.map(look))).flat();
}
