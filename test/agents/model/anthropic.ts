/** Anthropic's Messages API, streamed and not: as much of it as Claude Code uses. */
import { isAdded, type Reply, type Talk } from './talk.ts';

interface Block {
  type: string;
  text?: string;
  content?: string | Block[];
}

export interface MessagesRequest {
  model: string;
  stream?: boolean;
  messages: { role: string; content: string | Block[] }[];
  tools?: { name: string }[];
}

const blocksOf = (content: string | Block[] | undefined): Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);

const textOf = (content: string | Block[] | undefined): string =>
  blocksOf(content)
    .map(({ text }) => text ?? '')
    .join('\n');

export function readMessages({ model, messages, tools }: MessagesRequest): Talk {
  const talk: Talk = { said: [], results: [], allResults: [], tools: tools?.map(({ name }) => name) ?? [], model };
  for (const { role, content } of messages) {
    if (role !== 'user') continue;
    const blocks = blocksOf(content);
    const said = blocks.filter(({ type, text }) => type === 'text' && text && !isAdded(text));
    if (said.length > 0) {
      talk.said.push(said.map(({ text }) => text).join('\n'));
      talk.results = [];
    }
    const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => textOf(block.content));
    talk.results.push(...results);
    talk.allResults.push(...results);
  }
  return talk;
}

type Event = [type: string, data: Record<string, unknown>];

const USAGE = { input_tokens: 100, output_tokens: 10 };

const contentOf = (reply: Reply, id: string) => [
  ...(reply.say === undefined ? [] : [{ type: 'text', text: reply.say }]),
  ...(reply.calls ?? []).map(({ tool, input }, at) => ({
    type: 'tool_use',
    id: `toolu_${id}_${at}`,
    name: tool,
    input,
  })),
];

const messageOf = (reply: Reply, { id, model }: { id: string; model: string }) => ({
  id: `msg_${id}`,
  type: 'message',
  role: 'assistant',
  model,
  content: contentOf(reply, id),
  stop_reason: reply.calls?.length ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: USAGE,
});

/** The answer to a request that wants no stream. */
export const wholeMessage = messageOf;

/** The events of a streamed answer. */
export function messageEvents(reply: Reply, made: { id: string; model: string }): Event[] {
  const { content, stop_reason, ...message } = messageOf(reply, made);
  const blocks = content.flatMap((block, index): Event[] => {
    const [empty, delta] =
      'text' in block
        ? [
            { ...block, text: '' },
            { type: 'text_delta', text: block.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          ];
    return [
      ['content_block_start', { index, content_block: empty }],
      ['content_block_delta', { index, delta }],
      ['content_block_stop', { index }],
    ];
  });
  return [
    [
      'message_start',
      { message: { ...message, content: [], stop_reason: null, usage: { ...USAGE, output_tokens: 1 } } },
    ],
    ...blocks,
    ['message_delta', { delta: { stop_reason, stop_sequence: null }, usage: USAGE }],
    ['message_stop', {}],
  ];
}
