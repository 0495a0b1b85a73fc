/** What every tool of the MCP server gets besides its input. */
export interface ToolContext {
  /** The Session whose agent calls. */
  session: string;
  now: () => Date;
  /** Aborts when the agent gives up or goes away. */
  signal: AbortSignal;
  progress: (message: string) => void;
}

/** A refusal that the agent reads and can act on. */
export class ToolRefusal extends Error {
  override name = 'ToolRefusal';
}
