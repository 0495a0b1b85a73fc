/** The last line that a reader pod prints: whoever reads its log knows by it that nothing is missing. */
import { z } from 'zod';

const trailer = z.object({
  tiny: z.literal('end'),
  /** Before this one. */
  lines: z.int().min(0),
  /** Of all those lines, each with its end, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Trailer = z.infer<typeof trailer>;

/** The trailer that `line` is, if it is one. */
export function parseTrailer(line: string): Trailer | undefined {
  if (!line.startsWith('{"tiny":"end"')) return undefined;
  try {
    return trailer.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
