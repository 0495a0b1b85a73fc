/**
 * Whether a tool call needs no yes, by the Session's approvals: its kind is allowed, or it is a command of which each
 * part matches a pattern. What can't be told apart for sure needs one. It binds an agent that asks and obeys, no more.
 */
import { isAbsolute, relative, resolve } from 'node:path';
import { type Approvals, kindsOf } from '../../lib/api/approvals.ts';
import { isOf } from './command-pattern.ts';
import type { Command } from './tool-input.ts';

type ToolKind = ReturnType<typeof kindsOf> extends Set<infer Kind> ? Kind : never;

/** A tool call as approvals look at it. */
export interface Proposed {
  kind: ToolKind;
  command: Command | undefined;
  paths: readonly string[];
  network: boolean;
  rights: boolean;
}

/** The folder that edits and commands need no yes in, and how a path's links are followed. */
export interface Place {
  folder: string;
  /** The path that is meant, links followed as far as they exist. */
  real: (path: string) => string;
}

const WRITES: readonly ToolKind[] = ['edit', 'delete', 'move'];

/** Whether `call` may be done unasked. Pure but for `place.real`. */
export function isUnasked(call: Proposed, approvals: Approvals, place: Place): boolean {
  const allowed = kindsOf(approvals.allow);
  const kinds = kindsOfCall(call);
  if (kinds.every((kind) => allowed.has(kind)))
    return !kinds.some((kind) => WRITES.includes(kind)) || isInside(call, place);
  const rest = kinds.filter((kind) => !allowed.has(kind));
  return rest.length === 1 && rest[0] === 'execute' && isKnownCommand(call, approvals.commands ?? [], place);
}

/** A call that runs a command is an execution whatever it is called, and what reaches out is that, too. */
function kindsOfCall({ kind, command, network, rights }: Proposed): ToolKind[] {
  const kinds: ToolKind[] = [kind];
  if (command) kinds.push('execute');
  if (network) kinds.push('fetch');
  if (rights) kinds.push('other');
  return [...new Set(kinds)];
}

function isKnownCommand({ command, network, rights }: Proposed, patterns: readonly string[], place: Place): boolean {
  if (!command?.isPlain || !command.commands || network || rights) return false;
  if (command.folder !== undefined && !isWithin(command.folder, place)) return false;
  return command.commands.every((words) => patterns.some((pattern) => isOf(pattern, words)));
}

/** Whether all that is written is known, and is in the folder; what git runs by itself, its folder, is asked for. */
const isInside = ({ paths }: Proposed, place: Place): boolean =>
  paths.length > 0 && paths.every((path) => isWithin(path, place) && !isGits(path, place));

function isWithin(path: string, { folder, real }: Place): boolean {
  const way = relative(real(folder), real(resolve(folder, path)));
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

const isGits = (path: string, { folder, real }: Place): boolean =>
  relative(real(folder), real(resolve(folder, path)))
    .split('/')
    .some((part) => part.toLowerCase() === '.git');
