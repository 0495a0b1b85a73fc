import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ownFolder } from '../../../local/node/host.ts';

const root = mkdtempSync(join(tmpdir(), 'tiny-host-'));
afterAll(() => rmSync(root, { recursive: true }));

test('a temporary folder is made for its user alone, and taken again', () => {
  const path = join(root, 'new');
  expect(ownFolder(path)).toBe(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(ownFolder(path)).toBe(path);
});

test('one that others may have made or may read is not used', () => {
  const open = join(root, 'open');
  mkdirSync(open);
  chmodSync(open, 0o750);
  expect(() => ownFolder(open)).toThrow(`${open} is not this user's alone`);
  const link = join(root, 'link');
  mkdirSync(join(root, 'elsewhere'), { mode: 0o700 });
  symlinkSync(join(root, 'elsewhere'), link);
  expect(() => ownFolder(link)).toThrow(`${link} is not this user's alone`);
  writeFileSync(join(root, 'file'), '');
  expect(() => ownFolder(join(root, 'file'))).toThrow();
});

test.skipIf(process.getuid?.() !== 0)('one of another user is not used', () => {
  const path = join(root, 'theirs');
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, 65534, 65534);
  expect(() => ownFolder(path)).toThrow(`${path} is not this user's alone`);
});
