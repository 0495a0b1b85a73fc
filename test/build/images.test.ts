import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { librariesOf, placeOf } from '../../build/images/libraries.ts';
import { archive, layer } from '../../build/images/oci.ts';
import { type Entry, tar } from '../../build/images/tar.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiny-images-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the system's tar reads of an archive. */
function listed(bytes: Buffer): string[] {
  const file = join(folder, 'a.tar');
  writeFileSync(file, bytes);
  return execFileSync('tar', ['-tvf', file, '--numeric-owner', '--utc'], { encoding: 'utf8' }).trim().split('\n');
}

const file = (path: string, content = 'x', more: object = {}): Entry => ({
  kind: 'file',
  path,
  mode: 0o644,
  content: Buffer.from(content),
  ...more,
});

test('an archive is sorted, has every folder above, and no time but the epoch', () => {
  const entries: Entry[] = [
    file('usr/bin/b', 'longer', { mode: 0o755 }),
    { kind: 'link', path: 'bin', target: 'usr/bin' },
    { kind: 'folder', path: 'state', mode: 0o700, owner: 10001 },
  ];
  const bytes = tar(entries);
  expect(listed(bytes).map((line) => line.replace(/\s+/g, ' '))).toEqual([
    'lrwxrwxrwx 0/0 0 1970-01-01 00:00 bin -> usr/bin',
    'drwx------ 10001/10001 0 1970-01-01 00:00 state/',
    'drwxr-xr-x 0/0 0 1970-01-01 00:00 usr/',
    'drwxr-xr-x 0/0 0 1970-01-01 00:00 usr/bin/',
    '-rwxr-xr-x 0/0 6 1970-01-01 00:00 usr/bin/b',
  ]);
  expect(tar(entries.toReversed())).toEqual(bytes);
});

test('a long path is kept whole, one that is too long is refused', () => {
  const long = `${'f'.repeat(90)}/${'g'.repeat(90)}`;
  expect(listed(tar([file(long)])).at(-1)).toMatch(new RegExp(`${long}$`));
  expect(() => tar([file('h'.repeat(300))])).toThrow('too long');
});

test('the same path twice is refused', () => {
  expect(() => tar([file('a'), file('a', 'y')])).toThrow('a comes twice');
});

test('an image is an OCI layout whose digests fit, and names itself for containerd and Docker', () => {
  const config = { Entrypoint: ['/a'], Env: [], User: '10001:10001', WorkingDir: '/', Labels: {} };
  const image = { name: 'tiny.dev/x:1', layers: [layer([file('a')])], config };
  const { bytes, digest } = archive(image);
  expect(archive({ ...image, layers: [layer([file('a')])] }).bytes).toEqual(bytes);
  writeFileSync(join(folder, 'image.tar'), bytes);
  execFileSync('tar', ['-xf', 'image.tar'], { cwd: folder });
  const read = (path: string) => readFileSync(join(folder, path));
  const blob = (of: string) => read(`blobs/${of.replace(':', '/')}`);
  const { manifests } = JSON.parse(read('index.json').toString());
  expect(manifests[0]).toMatchObject({ digest, annotations: { 'io.containerd.image.name': 'tiny.dev/x:1' } });
  const manifest = JSON.parse(blob(digest).toString());
  const [only] = manifest.layers;
  expect(only.size).toBe(blob(only.digest).length);
  expect(listed(gunzipSync(blob(only.digest)))).toHaveLength(1);
  const [docker] = JSON.parse(read('manifest.json').toString());
  expect(docker.RepoTags).toEqual(['tiny.dev/x:1']);
  expect(JSON.parse(read(docker.Config).toString()).config).toEqual(config);
});

test.runIf(process.platform === 'linux')('a program comes with the loader and libraries that it asks for', () => {
  const paths = librariesOf([process.execPath]).map(({ path }) => path);
  expect(paths.some((path) => /^usr\/lib.*\/libc\.so\.6$/.test(path))).toBe(true);
  expect(new Set(paths).size).toBe(paths.length);
  expect(placeOf('/lib64/ld-linux-x86-64.so.2')).toBe('usr/lib64/ld-linux-x86-64.so.2');
  expect(placeOf('/usr/lib/x')).toBe('usr/lib/x');
});
