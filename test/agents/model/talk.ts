/** What the fake model server makes of a request, whichever API it came by, and what its script answers. */

/** A call of a tool that the agent offers, by the agent's own name for it. */
export interface Call {
  tool: string;
  input: Record<string, unknown>;
  /** Where the agent groups its tools (Codex does with those of an MCP server). */
  namespace?: string;
}

/** A conversation as the model is shown it. */
export interface Talk {
  /** What the user said, in order; what agents add by themselves (`<environment>…`) is left out. */
  said: string[];
  /** What came of the tool calls since the user last said something. */
  results: string[];
  /** What came of all tool calls of the conversation. */
  allResults: string[];
  /** The tools on offer, `namespace/name` where there is one. */
  tools: string[];
  model: string;
}

/** The model's answer: words, and calls that the agent is to make; without a call the turn ends. */
export interface Reply {
  say?: string;
  calls?: Call[];
}

export type Script = (talk: Talk) => Reply;

/** One reply after the other within a turn: the first to the user, each further one to what came of a call. */
export const inTurn =
  (...replies: (Reply | ((talk: Talk) => Reply))[]): Script =>
  (talk) => {
    const reply = replies[Math.min(talk.results.length, replies.length - 1)] ?? { say: 'done' };
    return typeof reply === 'function' ? reply(talk) : reply;
  };

/** Which script a turn follows: the first whose words the user's last words contain. */
export const when =
  (scripts: Record<string, Script>): Script =>
  (talk) => {
    const last = talk.said.at(-1) ?? '';
    const [, script] = Object.entries(scripts).find(([words]) => last.includes(words)) ?? [];
    return script ? script(talk) : { say: `nothing is scripted for: ${last}` };
  };

/** Whether a text is the agent's own addition. */
export const isAdded = (text: string): boolean => /^\s*(<[a-z_-]+>|# AGENTS\.md)/i.test(text);
