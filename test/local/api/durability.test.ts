import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Store } from '../../../local/api/store.ts';
import type { Stored } from '../../../local/types.ts';

const WRITER = fileURLToPath(new URL('./writer.ts', import.meta.url));

/** Lets a process write into `file` until it has said `enough` lines, kills it there, and returns what it said. */
async function killedAfter(enough: number, file: string): Promise<string[]> {
  const child = spawn(process.execPath, [WRITER, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    if (said.split('\n').length > enough) child.kill('SIGKILL');
  }
  return said.split('\n').slice(0, -1);
}

it.each([10, 137, 500])('has all that was acknowledged before a SIGKILL after %i writes', async (enough) => {
  const folder = mkdtempSync(join(tmpdir(), 'tiny-store-'));
  const file = join(folder, 'objects.db');
  for (const round of [1, 2]) {
    const said = (await killedAfter(enough * round, file)).map((line) => line.split(' '));
    const store = new Store(file, 50);
    const acknowledged = Number(said.at(-1)?.[2]);
    expect(store.version).toBeGreaterThanOrEqual(acknowledged);
    expect(store.version).toBeLessThanOrEqual(acknowledged + 1);
    const last = new Map(said.map(([name = '', at]) => [name, at]));
    for (const [name, at] of last) {
      const { metadata, data } = (store.get('configmaps', 'work', name) ?? {}) as Partial<Stored>;
      const changed = Number(metadata?.resourceVersion ?? store.version);
      if (changed <= acknowledged)
        expect([name, (data as { at: string } | undefined)?.at ?? 'gone']).toEqual([name, at]);
    }
    store.close();
  }
  rmSync(folder, { recursive: true });
});
