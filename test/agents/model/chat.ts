/** The chat completions of OpenAI, which vLLM, Ollama and gateways speak, streamed: as much of it as OpenCode uses. */
import { isAdded, type Reply, type Talk } from './talk.ts';

type Content = string | { type: string; text?: string }[] | null | undefined;

export interface ChatRequest {
  model: string;
  messages: { role: string; content?: Content }[];
  tools?: { function: { name: string } }[];
}

const textOf = (content: Content): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n');

export function readChat({ model, messages, tools }: ChatRequest): Talk {
  const names = tools?.map((tool) => tool.function.name) ?? [];
  const talk: Talk = { said: [], results: [], allResults: [], tools: names, model };
  for (const { role, content } of messages) {
    const text = textOf(content);
    if (role === 'user' && !isAdded(text)) {
      talk.said.push(text);
      talk.results = [];
    }
    if (role !== 'tool') continue;
    talk.results.push(text);
    talk.allResults.push(text);
  }
  return talk;
}

type Event = [type: string, data: Record<string, unknown>];

/** The chunks of a streamed answer. */
export function chatEvents(reply: Reply, { id, model }: { id: string; model: string }): Event[] {
  const chunk = (delta: Record<string, unknown>, finish: string | null = null): Event => [
    'chunk',
    {
      id: `chat_${id}`,
      object: 'chat.completion.chunk',
      created: 0,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...(finish && { usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } }),
    },
  ];
  const calls = (reply.calls ?? []).map(({ tool, input }, index) => ({
    index,
    id: `call_${id}_${index}`,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(input) },
  }));
  return [
    chunk({ role: 'assistant', content: reply.say ?? '' }),
    ...(calls.length > 0 ? [chunk({ tool_calls: calls })] : []),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
  ];
}
