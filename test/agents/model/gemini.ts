/** Gemini's API, streamed: as much of it as Gemini CLI uses. */
import { isAdded, type Reply, type Talk } from './talk.ts';

interface Part {
  text?: string;
  functionResponse?: { response?: unknown };
}

export interface GeminiRequest {
  contents: { role?: string; parts?: Part[] }[];
  tools?: { functionDeclarations?: { name: string }[] }[];
}

export function readGemini({ contents, tools }: GeminiRequest): Talk {
  const names = (tools ?? []).flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name));
  const talk: Talk = { said: [], results: [], allResults: [], tools: names, model: 'gemini' };
  for (const { role, parts = [] } of contents) {
    if (role !== 'user') continue;
    const said = parts.flatMap(({ text }) => (text && !isAdded(text) ? [text] : []));
    if (said.length > 0) {
      talk.said.push(said.join('\n'));
      talk.results = [];
    }
    const results = parts.flatMap(({ functionResponse }) =>
      functionResponse ? [JSON.stringify(functionResponse.response)] : [],
    );
    talk.results.push(...results);
    talk.allResults.push(...results);
  }
  return talk;
}

/** The one event of an answer. */
export function geminiEvents(reply: Reply): [string, Record<string, unknown>][] {
  const parts = [
    ...(reply.say === undefined ? [] : [{ text: reply.say }]),
    ...(reply.calls ?? []).map(({ tool, input }) => ({ functionCall: { name: tool, args: input } })),
  ];
  const candidate = { index: 0, content: { role: 'model', parts }, finishReason: 'STOP' };
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };
  return [['chunk', { candidates: [candidate], usageMetadata }]];
}
