/**
 * Holds back what an agent says too much of: a log that takes all of it fills a disk, and a line without an end fills the
 * memory of whoever waits for that end.
 */
import { Transform } from 'node:stream';
import { cut } from '../cut.ts';

/** What is let through of a flood, in characters a minute; ten hours of it are 120 MB. */
const MAX_A_MINUTE = 200_000;
const MINUTE_MS = 60_000;

/** `log`, but not more of it a minute than a person could read; how much was left out is said as the next minute begins. */
export function dammed(log: (line: string) => void, now: () => number): (line: string) => void {
  let [since, passed, held] = [now(), 0, 0];
  const begin = () => {
    if (held > 0) log(`${held} characters that the agent said were left out of the log, because they were too many`);
    [since, passed, held] = [now(), 0, 0];
  };
  const hold = (line: string) => {
    const room = Math.max(0, MAX_A_MINUTE - passed);
    if (held === 0)
      log(`${cut(line, room)} … the agent says more than the log takes; the rest of this minute is left out`);
    held += line.length;
    passed = MAX_A_MINUTE;
  };
  return (line) => {
    if (now() - since >= MINUTE_MS) begin();
    if (passed + line.length > MAX_A_MINUTE) return hold(line);
    passed += line.length;
    log(line);
  };
}

/** The longest message of the protocol that is taken, in bytes; a tool's result of 20 MB fits as JSON. */
export const MAX_MESSAGE = 64 * 1024 * 1024;
const NEWLINE = 10;
const BRACE = 123;

/**
 * Lets the lines through that may be messages of the protocol: JSON objects of a size that can be held. All else goes to
 * `log`, cut short, as an agent that prints something does not mean it for us.
 */
export function onlyMessages(log: (line: string) => void): Transform {
  let [kept, size, tooLong]: [Buffer[], number, boolean] = [[], 0, false];
  const end = (): Buffer | undefined => {
    const line = Buffer.concat(kept);
    const whole = !tooLong;
    [kept, size, tooLong] = [[], 0, false];
    if (whole && line[0] === BRACE) return line;
    if (line.length > 0)
      log(
        `agent: ${cut(line.subarray(0, 4000).toString('utf8').trimEnd(), 500)}${whole ? '' : ` … (a line of more than ${MAX_MESSAGE} bytes was left out)`}`,
      );
    return undefined;
  };
  const take = (part: Buffer) => {
    size += part.length;
    // Of what is no message the beginning is enough.
    if (size > MAX_MESSAGE || (size > part.length && kept[0]?.[0] !== BRACE)) {
      tooLong ||= kept[0]?.[0] === BRACE;
      kept = [(kept[0] ?? part).subarray(0, 4000)];
      return;
    }
    kept.push(part);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at + 1));
        const line = end();
        if (line) this.push(line);
        from = at + 1;
      }
      if (from < chunk.length) take(chunk.subarray(from));
      done();
    },
    flush(done) {
      const line = end();
      if (line) this.push(line);
      done();
    },
  });
}
