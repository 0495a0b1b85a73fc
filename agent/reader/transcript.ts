/** Prints a Session's transcript from its volume: whole entries only, whatever a kill or a power cut has left there. */
import { closeSync, fstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEntry } from '../../lib/api/transcript.ts';
import { openFile } from './archive.ts';
import type { Place, Printer } from './printer.ts';

/** Where it lies on the volume. */
const transcriptFolder = ({ volume, uid }: Place): string => join(volume, 'state', uid, 'transcript');

/** The files of a transcript, first to last; none where there is no transcript. */
function transcriptFiles(place: Place): string[] {
  const folder = transcriptFolder(place);
  try {
    return readdirSync(folder)
      .filter((name) => /^\d{10}\.jsonl$/.test(name))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

export async function printTranscript(place: Place, printer: Printer): Promise<void> {
  for (const file of transcriptFiles(place)) {
    for (const line of textOf(file).replaceAll('\0', '').split('\n')) {
      if (parseEntry(line)) await printer.line(line.trim());
    }
  }
}

/** Of a file, and of nothing else that the agent may have put in its place: a link, or what never ends. */
function textOf(file: string): string {
  const handle = openFile(file);
  if (handle === undefined) return '';
  try {
    return fstatSync(handle).isFile() ? readFileSync(handle, 'utf8') : '';
  } finally {
    closeSync(handle);
  }
}
