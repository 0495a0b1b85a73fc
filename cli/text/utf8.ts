/** Text from files and pipes: UTF-8 or refused with the place, never silently repaired. Pure. */

/**
 * The offset of the first byte at which `bytes` stop being UTF-8, or `undefined` where all are. Where what node's
 * lenient decoder reads differs, written out again, from what was there, something was replaced.
 */
export function invalidUtf8At(bytes: Uint8Array): number | undefined {
  const original = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const again = Buffer.from(original.toString('utf8'), 'utf8');
  if (original.equals(again)) return undefined;
  const at = original.findIndex((byte, index) => byte !== again[index]);
  return at < 0 ? original.length - 1 : at;
}

/** `bytes` as text. Throws `TypeError` where they are no UTF-8: ask `invalidUtf8At` first. */
export const decodeUtf8 = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
