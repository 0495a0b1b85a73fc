/** Copies the parts of one Session's volume, which sleeps, onto that of another, which has not begun. */
import { closeSync } from 'node:fs';
import { contentOf, openFile } from './archive.ts';
import { partsOf } from './parts.ts';
import type { Place } from './printer.ts';
import { openTarget, type Target } from './put.ts';
import type { Found } from './walk.ts';

export async function copySession(from: Place & { name: string }, to: Place): Promise<void> {
  const target = openTarget(to);
  for (const found of partsOf(from, () => {})) {
    if (found.entry.type === 'file') await copyFile(found, target);
    else await target.put(found.entry, []);
  }
  target.finish(from);
}

/** A file that is gone by now is no longer part of it. */
async function copyFile({ entry, file }: Found, target: Target): Promise<void> {
  const handle = openFile(file);
  if (handle === undefined) return;
  try {
    await target.put(entry, contentOf(handle, entry.size));
  } finally {
    closeSync(handle);
  }
}
