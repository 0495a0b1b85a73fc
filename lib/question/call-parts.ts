/** A tool call as a person is shown it: the command, its folder, what else the input holds, the diff. Pure. */
import type { Question } from '../api/question.ts';

type ToolCall = NonNullable<Question['spec']['toolCall']>;

/** What stands under which title; what there is nothing of is empty. */
export const callParts = (call: ToolCall): [title: string, text: string][] => [
  ['Tool call', titleOf(call)],
  ['Command', call.command ?? ''],
  ['Folder', call.folder ?? ''],
  ['Input', restOfInput(call)],
  ['Diff', call.diff ?? ''],
];

/** The input without the command and the folder, where they are, word for word, what stands beside it; else whole. */
function restOfInput({ input = '', command, folder }: ToolCall): string {
  const fields = read(input);
  if (!fields) return input;
  const rest = Object.entries(fields).filter(([key, value]) => !isShown(key, value, { command, folder }));
  if (rest.length === Object.keys(fields).length) return input;
  return rest.length ? JSON.stringify(Object.fromEntries(rest)) : '';
}

const FOLDERS = ['cwd', 'workdir', 'directory', 'dir_path'];

const isShown = (key: string, value: unknown, { command, folder }: Pick<ToolCall, 'command' | 'folder'>): boolean =>
  value !== undefined && ((key === 'command' && value === command) || (FOLDERS.includes(key) && value === folder));

function read(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // What reads otherwise than it is written, such as one key twice, is shown as it is.
    const isPlain = typeof value === 'object' && !Array.isArray(value) && JSON.stringify(value) === text;
    return isPlain && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The agent's name of the call, where it says more than the command. */
const titleOf = ({ title, command }: ToolCall): string =>
  command !== undefined && title.replace(/^`|`$/g, '') === command ? '' : title;
