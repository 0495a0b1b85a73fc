/** Headers of a tar archive (POSIX.1-2001: ustar, and pax for what ustar is too short for), made as they are needed. Pure. */

/** One thing in an archive. Its path has no slash at either end. */
export interface TarEntry {
  path: string;
  type: 'file' | 'folder' | 'link';
  /** Permission bits. */
  mode: number;
  /** Of a file, in bytes. */
  size: number;
  /** Of a link. */
  target?: string;
}

export const BLOCK = 512;
/** What an archive ends with. */
export const TAR_END = Buffer.alloc(2 * BLOCK);
const TYPE = { file: '0', link: '2', folder: '5' } as const;
const NAME = 100;
/** Eleven octal digits. */
const MOST_BYTES = 8 ** 11 - 1;

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

/** What fills up the last block of so many bytes. */
export const paddingOf = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

interface Raw {
  name: string;
  type: string;
  mode: number;
  size: number;
  target?: string;
}

function block({ name, type, mode, size, target = '' }: Raw): Buffer {
  const made = Buffer.alloc(BLOCK);
  made.write(name, 0, NAME);
  made.write(octal(mode & 0o7777, 8), 100);
  made.write(octal(0, 8), 108);
  made.write(octal(0, 8), 116);
  made.write(octal(size, 12), 124);
  made.write(octal(0, 12), 136);
  made.write(' '.repeat(8), 148);
  made.write(type, 156);
  made.write(target, 157, NAME);
  made.write('ustar\x0000', 257);
  const sum = made.reduce((all, byte) => all + byte, 0);
  made.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return made;
}

/** `LENGTH KEY=VALUE\n`, where the length counts its own digits. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

/** The header of `entry`. Throws RangeError for a file that is too large. */
export function tarHeader({ path, type, mode, size, target = '' }: TarEntry): Buffer {
  if (size > MOST_BYTES) throw new RangeError(`${path} has ${size} bytes, too many for an archive`);
  const name = type === 'folder' ? `${path}/` : path;
  const long = [
    ...(Buffer.byteLength(name) > NAME ? [record('path', name)] : []),
    ...(Buffer.byteLength(target) > NAME ? [record('linkpath', target)] : []),
  ].join('');
  const header = block({ name, type: TYPE[type], mode, size: type === 'file' ? size : 0, target });
  if (long === '') return header;
  const bytes = Buffer.from(long);
  const before = block({ name: 'pax', type: 'x', mode: 0o644, size: bytes.length });
  return Buffer.concat([before, bytes, paddingOf(bytes.length), header]);
}
