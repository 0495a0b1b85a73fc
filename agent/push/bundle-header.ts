/**
 * The head of a bundle (gitformat-bundle(5), version 2), read by hand: the pack behind it goes to git, the words in it
 * come from the agent and name commits only.
 */

/** More of it is nothing that a Session's work makes. Bytes. */
const MAX_HEADER = 64 * 1024;
/** Commits of others that the work stands on: its base, and each that was merged in. */
const MAX_PREREQUISITES = 64;

export interface BundleHeader {
  /** Commits that the receiver must have. */
  prerequisites: string[];
  /** The commit to push. */
  head: string;
  /** Where the pack begins, in bytes. */
  length: number;
}

/** The bundle is not what the harness makes. */
export class BundleError extends Error {
  override name = 'BundleError';
}

const SIGNATURE = '# v2 git bundle';

/** What the bundle that begins with `bytes` is; `undefined` where more of it is needed. Throws `BundleError`. */
export function bundleHeader(bytes: Buffer): BundleHeader | undefined {
  const end = bytes.indexOf('\n\n');
  if (end >= 0 && end <= MAX_HEADER) return { ...parsed(bytes.subarray(0, end).toString('utf8')), length: end + 2 };
  if (bytes.length <= MAX_HEADER) return undefined;
  throw new BundleError(`the head of the bundle is longer than ${MAX_HEADER} bytes`);
}

function parsed(text: string): Omit<BundleHeader, 'length'> {
  const [signature, ...lines] = text.split('\n');
  if (signature !== SIGNATURE) throw new BundleError(`the bundle does not begin with "${SIGNATURE}"`);
  const prerequisites = lines.flatMap((line) => /^-([0-9a-f]{40})( .*)?$/.exec(line)?.[1] ?? []);
  const heads = lines.flatMap((line) => /^([0-9a-f]{40}) HEAD$/.exec(line)?.[1] ?? []);
  if (prerequisites.length === lines.length)
    throw new BundleError('there is no commit beyond the one that the branch started at: commit your work first');
  const [head] = heads;
  if (head === undefined || heads.length > 1 || heads.length + prerequisites.length !== lines.length)
    throw new BundleError('the bundle holds more, or less, than one HEAD and what it stands on');
  if (prerequisites.length > MAX_PREREQUISITES)
    throw new BundleError(`the work stands on more than ${MAX_PREREQUISITES} commits of others`);
  return { prerequisites, head };
}
