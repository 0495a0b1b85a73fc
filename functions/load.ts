/**
 * Loads a bundle with what V8 had compiled by the end of an earlier run (docs/decisions/cold-start.md). Node's own
 * compile cache is filled as a file is loaded, and so lacks every function that is compiled at its first call, which
 * is most of them. V8 itself checks little: its own version and flags, and the source's length. So the file of the
 * cache begins with a digest of all that it belongs to; one that is missing, torn or of another bundle is not used.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';

const DIGEST_BYTES = 32;

/** Where the cache of the bundle `file` is. */
export const cacheOf = (file: string): string => file.replace(/\.cjs$/, '.cache');

function digestOf(bundle: Buffer, compiled: Buffer): Buffer {
  return createHash('sha256')
    .update(process.version + process.arch)
    .update(bundle)
    .update(compiled)
    .digest();
}

/** The bytes of a cache file: the digest, and what V8 made. */
export const sealed = (bundle: Buffer, compiled: Buffer): Buffer =>
  Buffer.concat([digestOf(bundle, compiled), compiled]);

/** What V8 made, where the cache file is whole and belongs to the bundle, this version of Node and this kind of processor. */
export function unsealed(bundle: Buffer, cache: Buffer): Buffer | undefined {
  const compiled = cache.subarray(DIGEST_BYTES);
  return cache.subarray(0, DIGEST_BYTES).equals(digestOf(bundle, compiled)) ? compiled : undefined;
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

/** The bundle `file`, compiled and not yet run: gives the function that Node makes of a CommonJS module. */
export function load(file: string): Script {
  const bundle = readFileSync(file);
  const cachedData = unsealed(bundle, read(cacheOf(file)));
  const source = `(function (exports, require, module, __filename, __dirname) {${bundle}\n})`;
  return new Script(source, { filename: file, ...(cachedData && { cachedData }) });
}
