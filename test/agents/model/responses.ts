/** OpenAI's Responses API, streamed: as much of it as Codex uses. */
import { isAdded, type Reply, type Talk } from './talk.ts';

interface Item {
  type: string;
  role?: string;
  content?: { type: string; text?: string }[];
  output?: unknown;
}

interface Tool {
  type: string;
  name?: string;
  tools?: Tool[];
}

export interface ResponsesRequest {
  model: string;
  input: Item[];
  tools?: Tool[];
}

const namesOf = (tools: Tool[]): string[] =>
  tools.flatMap((tool) =>
    tool.tools ? tool.tools.map(({ name }) => `${tool.name}/${name}`) : [tool.name ?? tool.type],
  );

const textOf = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output));

export function readResponses({ model, input, tools }: ResponsesRequest): Talk {
  const talk: Talk = { said: [], results: [], allResults: [], tools: namesOf(tools ?? []), model };
  for (const item of input) {
    if (item.type === 'message' && item.role === 'user') {
      const said = (item.content ?? []).map(({ text }) => text ?? '').filter((text) => text && !isAdded(text));
      if (said.length === 0) continue;
      talk.said.push(said.join('\n'));
      talk.results = [];
    }
    if (!item.type.endsWith('call_output')) continue;
    talk.results.push(textOf(item.output));
    talk.allResults.push(textOf(item.output));
  }
  return talk;
}

type Event = [type: string, data: Record<string, unknown>];

const itemsOf = (reply: Reply, id: string) => [
  ...(reply.say === undefined
    ? []
    : [{ type: 'message', role: 'assistant', id: `msg_${id}`, content: [{ type: 'output_text', text: reply.say }] }]),
  ...(reply.calls ?? []).map(({ tool, input, namespace }, at) => ({
    type: 'function_call',
    id: `fc_${id}_${at}`,
    call_id: `call_${id}_${at}`,
    name: tool,
    arguments: JSON.stringify(input),
    ...(namespace && { namespace }),
  })),
];

const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 110,
};

/** The events of a streamed answer. */
export function responseEvents(reply: Reply, { id }: { id: string }): Event[] {
  const output = itemsOf(reply, id);
  return [
    ['response.created', { response: { id: `resp_${id}` } }],
    ...output.flatMap((item, output_index): Event[] => [
      ['response.output_item.added', { output_index, item: { ...item, ...('content' in item && { content: [] }) } }],
      ...('content' in item
        ? [
            [
              'response.output_text.delta',
              { item_id: item.id, output_index, content_index: 0, delta: item.content[0]?.text },
            ] satisfies Event,
          ]
        : []),
      ['response.output_item.done', { output_index, item }],
    ]),
    ['response.completed', { response: { id: `resp_${id}`, output, usage: USAGE } }],
  ];
}
