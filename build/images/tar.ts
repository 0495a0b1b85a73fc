/**
 * A tar archive (POSIX.1-1988 ustar) that depends on its entries alone: sorted by path, made in 1970, owned by root
 * where an entry does not say otherwise. So the same inputs give the same image on every machine.
 */

/** One thing in an archive. Its path has no slash at either end. */
export type Entry = { path: string /** Default 0. */; owner?: number } & (
  | { kind: 'folder'; mode: number }
  | { kind: 'file'; mode: number; content: Buffer }
  | { kind: 'link'; target: string }
);

const BLOCK = 512;
const TYPE = { file: '0', link: '2', folder: '5' } as const;
const NAME = 100;
const PREFIX = 155;

/** A path longer than 100 bytes is cut in two at a slash. Throws where that does not help. */
function splitPath(path: string): { name: string; prefix: string } {
  if (Buffer.byteLength(path) <= NAME) return { name: path, prefix: '' };
  const at = path.indexOf('/', path.length - NAME - 1);
  const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
  if (at < 0 || Buffer.byteLength(prefix) > PREFIX || Buffer.byteLength(name) > NAME)
    throw new RangeError(`the path is too long for a tar archive: ${path}`);
  return { name, prefix };
}

const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

function header(entry: Entry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const { name, prefix } = splitPath(entry.kind === 'folder' ? `${entry.path}/` : entry.path);
  const owner = octal(entry.owner ?? 0, 8);
  block.write(name, 0);
  block.write(octal(entry.kind === 'link' ? 0o777 : entry.mode, 8), 100);
  block.write(owner, 108);
  block.write(owner, 116);
  block.write(octal(entry.kind === 'file' ? entry.content.length : 0, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write(TYPE[entry.kind], 156);
  if (entry.kind === 'link') block.write(entry.target, 157, NAME);
  block.write('ustar\x0000', 257);
  block.write(prefix, 345);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

const padding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** The folders above the entries that no entry is itself. */
function parents(entries: readonly Entry[]): Entry[] {
  const known = new Set(entries.map(({ path }) => path));
  const missing = new Set<string>();
  for (const { path } of entries)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) missing.add(path.slice(0, at));
  return [...missing].filter((path) => !known.has(path)).map((path) => ({ kind: 'folder', path, mode: 0o755 }));
}

const byPath = (a: Entry, b: Entry): number => (a.path < b.path ? -1 : 1);

/** The archive. Throws where a path comes twice, or is too long. */
export function tar(entries: readonly Entry[]): Buffer {
  const all = [...entries, ...parents(entries)].sort(byPath);
  const twice = all.find(({ path }, index) => path === all[index + 1]?.path);
  if (twice) throw new TypeError(`${twice.path} comes twice`);
  const blocks = all.flatMap((entry) =>
    entry.kind === 'file' ? [header(entry), entry.content, padding(entry.content.length)] : [header(entry)],
  );
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}
