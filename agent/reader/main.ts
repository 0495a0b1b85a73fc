/**
 * The program of pods that look into a Session's volume, or fill one: it prints what the volume holds, and then a last
 * line that says how much that was, since a pod's log may be cut anywhere and nobody would see it.
 */
import { printArchive } from './archive.ts';
import { copySession } from './copy.ts';
import { loadArchive } from './load.ts';
import { makePrinter, type Printer } from './printer.ts';
import { printTranscript } from './transcript.ts';

type Work = (words: string[], printer: Printer) => Promise<void>;

const WORK: Record<string, Work> = {
  transcript: ([volume = '', uid = ''], printer) => printTranscript({ volume, uid }, printer),
  archive: ([volume = '', uid = ''], printer) => printArchive({ volume, uid }, printer),
  copy: ([volume = '', uid = '', name = '', to = '', toUid = '']) =>
    copySession({ volume, uid, name }, { volume: to, uid: toUid }),
  load: ([volume = '', uid = '']) => loadArchive(process.stdin, { volume, uid }),
};

async function main([what = '', ...words]: string[]): Promise<void> {
  const work = WORK[what];
  if (!work) throw new Error(`"${what}" is nothing that can be done with a volume`);
  const printer = makePrinter(process.stdout);
  await work(words, printer);
  await printer.end();
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`reader: ${error.message}\n`);
    process.exit(1);
  },
);
