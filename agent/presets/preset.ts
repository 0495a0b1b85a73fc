/**
 * What a preset is: one agent as data, in one file. Each of these may also be said in a Session (spec.agent), so that an
 * agent without a preset is no lesser one.
 */

/** What starts an agent: a command as an argument array, never a shell's line. */
export interface Launch {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** The agent's mode in which it asks before it acts; absent: the one that it starts in. */
  mode?: string;
  /** The MCP servers of `session/new` and `session/load`; an agent that is told of them in its settings gets none. */
  mcpServers: McpServer[];
  /** What `session/new` and `session/load` call the folder in which it works; absent: its path. */
  folder?: string;
  /** Names in the clone with which it is not started, since it would do unasked what they say. */
  heeds?: string[];
  /** `_meta` of `session/new` and `session/load`, for what an agent takes there. */
  meta?: Record<string, unknown>;
}

export interface McpServer {
  name: string;
  command: string;
  args: string[];
}

export interface Places {
  /** The Node that runs this. */
  node: string;
  /** Folder of our programs. */
  programs: string;
  /** The home folder, on the volume. */
  home: string;
  /** The clone, in which the agent works. */
  clone: string;
}

/** What a Session says that an agent has to be told in its own way. */
export interface Told {
  model: string | undefined;
  /** Where the model is asked. */
  baseUrl: string | undefined;
  /** Whether `spec.approvals` leaves nothing to ask about. */
  isFree: boolean;
  mcp: McpServer;
}

export interface Settings {
  args?: string[];
  env?: Record<string, string>;
}

export interface Preset {
  command: (places: Places) => [string, ...string[]];
  /** Where its conversations and settings are, below the home folder on the volume. */
  state: string;
  /** Environment variables that hold its key, one of which `spec.credentials` has to give. */
  keys: string[];
  /** How it is told its model, its model's server and, where `mcp` is `settings`, its MCP server. */
  settings: (told: Told, places: Places) => Settings;
  /** What keeps it quiet: no update, no telemetry, no request that the task does not need. */
  env: Record<string, string>;
  /** The mode in which it asks before it acts, and the one for a Session that allows everything. */
  mode?: { asking: string; free?: string };
  /** Whether it takes MCP servers with `session/new`, or has to find ours in its settings. */
  mcp: 'session' | 'settings';
  meta?: Record<string, unknown>;
  /** What it loads from a repository and runs whatever it is told: a repository that holds one of these is refused. */
  heeds?: string[];
  /** How the clone is named to it, where its own path would make it trust what the repository says. */
  folder?: (clone: string) => string;
}

/** The name under which agents see our MCP server. */
export const MCP_SERVER = 'tiny';

/** A day, in milliseconds: a tool call waits for a person. */
export const TOOL_TIMEOUT_MS = 24 * 60 * 60 * 1000;
