/** Takes an archive from standard input onto the volume of a Session that has not begun, checked like any stranger's. */
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { openArchive } from '../../lib/archive/open.ts';
import type { Place } from './printer.ts';
import { openTarget } from './put.ts';

export async function loadArchive(input: Readable, to: Place): Promise<void> {
  const target = openTarget(to);
  const unpacked = createGunzip();
  input.on('error', (error) => unpacked.destroy(error)).pipe(unpacked);
  let from = { name: '', uid: '' };
  await openArchive(unpacked, {
    manifest: ({ session }) => {
      from = session;
    },
    entry: ({ entry, body }) => target.put(entry, body),
  });
  target.finish(from);
}
