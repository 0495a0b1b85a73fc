/** What is known of a command before its code is loaded. */
import type { Define } from './define.ts';
import type { Format } from './output/document.ts';

export interface Entry {
  name: string;
  aliases?: readonly string[];
  summary: string;
  group: 'Sessions' | 'Questions' | 'Cluster' | 'Local cluster' | 'Other';
  /** After Ctrl-C the command is waited for, because it has something to take down; a second Ctrl-C ends it. */
  cleansUp?: boolean | ((options: Record<string, unknown>) => boolean);
  /** It prints a list: `-A` and `-w` mean something to it. Others refuse them. */
  lists?: boolean;
  /** `-A` means something to it, and `-w` does not. */
  spans?: boolean;
  /** The formats of `-o` that it knows; without any, it refuses the flag. */
  outputs?: readonly Format[];
  load: () => Promise<{ define: Define }>;
}

/** Formats of `-o` by what a command prints. */
export const NAME: readonly Format[] = ['name'];
export const DATA: readonly Format[] = ['json', 'yaml'];
export const OBJECT: readonly Format[] = [...DATA, 'name'];
export const TABLE: readonly Format[] = [...DATA, 'wide'];
export const LIST: readonly Format[] = [...OBJECT, 'wide'];
