/**
 * What a tool call's own input says that it does. Titles, descriptions and what an agent shows beside them are its
 * words about a call; the input is the call, so commands, folders and paths are taken from there alone.
 */
import type * as acp from '@agentclientprotocol/sdk';
import { commandsOf, inShell } from './command-line.ts';

/** A command as the call's input has it. */
export interface Command {
  /** As a shell reads it. */
  text: string;
  /** The words of each command in it; absent where that is not sure. */
  commands: string[][] | undefined;
  /** The folder that it runs in, where the input says so. */
  folder: string | undefined;
  /** Whether the input holds nothing that could make it another act. */
  isPlain: boolean;
}

type Input = Record<string, unknown>;

const FOLDERS = ['cwd', 'workdir', 'directory', 'dir_path'];
const PATHS = ['file_path', 'filePath', 'path', 'notebook_path', 'absolute_path', 'abs_path'];
/** Words about a command, how long it may take, and who asks: none of these changes what it does. */
const HARMLESS = [
  ...['description', 'timeout', 'timeout_ms', 'timeoutMs', 'run_in_background', 'is_background', 'reason'],
  ...['justification', 'call_id', 'turn_id', 'parsed_cmd', 'command', ...FOLDERS],
];
const SHELLS = /^(.*\/)?(ba|z|da|k)?sh$/;

const isRecord = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isWords = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');

/** The command that a call with this input runs; `undefined` where it is none. Pure. */
export function commandIn(input: unknown): Command | undefined {
  if (!isRecord(input)) return undefined;
  const read = readCommand(input['command']);
  if (!read) return undefined;
  const folders = FOLDERS.map((key) => input[key]).filter((value) => value !== undefined && value !== null);
  const [folder] = folders;
  const isPlain =
    Object.entries(input).every(([key, value]) => HARMLESS.includes(key) || value === null || value === undefined) &&
    folders.length <= 1 &&
    folders.every((one) => typeof one === 'string' && one !== '');
  return { ...read, folder: typeof folder === 'string' && folder !== '' ? folder : undefined, isPlain };
}

/** A string is a shell's line; a list of words is run as it is, unless it hands a line to a shell. */
function readCommand(command: unknown): Pick<Command, 'text' | 'commands'> | undefined {
  if (typeof command === 'string' && command.trim() !== '') return { text: command, commands: commandsOf(command) };
  if (!isWords(command)) return undefined;
  const [program = '', flag = '', line, ...more] = command;
  if (line !== undefined && more.length === 0 && SHELLS.test(program) && /^-l?c$/.test(flag))
    return { text: line, commands: commandsOf(line) };
  return { text: inShell(command), commands: [command] };
}

/** The paths that an edit names: in its input, in its diffs, and where its agent says that it is at work. */
export function pathsIn(input: unknown, call: Pick<acp.ToolCallUpdate, 'content' | 'locations'>): string[] {
  const named = isRecord(input) ? PATHS.map((key) => input[key]) : [];
  const diffs = (call.content ?? []).map((part) => (part.type === 'diff' ? part.path : undefined));
  const places = (call.locations ?? []).map(({ path }) => path);
  const changes = isRecord(input) && isRecord(input['changes']) ? Object.keys(input['changes']) : [];
  const all = [...named, ...diffs, ...places, ...changes].filter((path) => typeof path === 'string' && path !== '');
  return [...new Set(all as string[])];
}

/** Whether the input asks for more than its kind says: a place in the network, or rights. */
export const asksForMore = (input: unknown): { network: boolean; rights: boolean } => {
  const has = (key: string) => isRecord(input) && input[key] !== undefined && input[key] !== null;
  return { network: has('url'), rights: has('additionalPermissions') || has('permissions') };
};
