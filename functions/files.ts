/**
 * Files of mounted Secrets and ConfigMaps, read anew each time they are needed: the kubelet replaces them while a function
 * runs, and an entry that was taken away must count from then on. What was made of the same text before is kept.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads `name` in `folder`: what `parse` makes of it. `''` stands for a file that is not there. Throws what `parse` throws. */
export function mounted<T>(folder: string, name: string, parse: (text: string) => T): () => T {
  const file = join(folder, name);
  let known: { text: string; value: T } | undefined;
  return () => {
    const text = read(file);
    if (known?.text !== text) known = { text, value: parse(text) };
    return known.value;
  };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The lines of a file that hold anything: a secret, and while it is being changed the other one. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
