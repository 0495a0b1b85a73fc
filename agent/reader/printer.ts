/** Lines on standard output, counted and summed, no faster than they are taken. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Trailer } from '../../lib/api/reading.ts';

export interface Printer {
  /** A line, without its end. */
  line(text: string): Promise<void>;
  /** The last line. */
  end(): Promise<void>;
}

/** What is read of a volume. */
export interface Place {
  /** Where it is mounted. */
  volume: string;
  /** Of the Session. */
  uid: string;
}

export function makePrinter(output: Writable): Printer {
  const hash = createHash('sha256');
  let lines = 0;
  const write = async (text: string) => {
    if (!output.write(text)) await once(output, 'drain');
  };
  return {
    line(text) {
      lines += 1;
      hash.update(`${text}\n`);
      return write(`${text}\n`);
    },
    async end() {
      const trailer: Trailer = { tiny: 'end', lines, sha256: hash.digest('hex') };
      await new Promise<void>((resolve) => void output.write(`${JSON.stringify(trailer)}\n`, () => resolve()));
    },
  };
}
