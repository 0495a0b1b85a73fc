/** The parts of a Session's volume that go into an archive, or into another Session: clone, home, journal, transcript. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDERS, JOURNAL, TRANSCRIPT } from '../../lib/archive/layout.ts';
import { isLeftOut } from './left-out.ts';
import type { Place } from './printer.ts';
import { type Found, type Walking, walk } from './walk.ts';

const NOTHING = () => false;

/** All of it, and how much was left out. */
export function* partsOf({ volume, uid }: Place, left: () => void): Generator<Found> {
  const state = join(volume, FOLDERS.state, uid);
  const parts: Pick<Walking, 'folder' | 'name' | 'leave'>[] = [
    { folder: join(volume, FOLDERS.workspace), name: 'workspace', leave: NOTHING },
    { folder: join(volume, FOLDERS.home), name: 'home', leave: isLeftOut },
    { folder: join(state, 'journal.jsonl'), name: JOURNAL, leave: NOTHING },
    { folder: join(state, 'transcript'), name: TRANSCRIPT, leave: NOTHING },
  ];
  for (const part of parts) if (existsSync(part.folder)) yield* walk({ ...part, left });
}
