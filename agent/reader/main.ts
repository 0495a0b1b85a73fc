/**
 * The program of a reader pod: prints what a volume holds on standard output, then a last line that says how much that
 * was, since a pod's log may be cut anywhere and nobody would see it.
 */
import { printArchive } from './archive.ts';
import { makePrinter } from './printer.ts';
import { printTranscript } from './transcript.ts';

const WORK = { transcript: printTranscript, archive: printArchive } as const;

async function main([what = '', volume = '', uid = '']: string[]): Promise<void> {
  const work = WORK[what as keyof typeof WORK];
  if (!work) throw new Error(`"${what}" is nothing that can be read`);
  const printer = makePrinter(process.stdout);
  await work({ volume, uid }, printer);
  await printer.end();
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`reader: ${error.message}\n`);
    process.exit(1);
  },
);
