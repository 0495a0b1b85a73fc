/** Downloads from a server of the test's own: right, wrong, cut, gone, silent. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { downloadEngine } from '../../../local/engine/download.ts';
import { fetchVerified, type Pinned } from '../../../local/engine/fetch-verified.ts';
import { findEngine, lookForEngine } from '../../../local/engine/find.ts';
import { type Release, releaseFor } from '../../../local/engine/releases.ts';

const ROOT = join(import.meta.dirname, '../../..');
const sum = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest('hex');
const CONTENT = Buffer.from('0123456789'.repeat(1000));

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let folder: string;
let server: Server;
let url: string;
let answer: Answer;
let asked: { url: string; range: string | undefined }[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tiny-download-'));
  asked = [];
  server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', range: request.headers.range });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Serves `bytes` whole, or the rest that is asked for. */
const serving =
  (bytes: Buffer): Answer =>
  ({ headers }, response) => {
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    if (from >= bytes.length) return response.writeHead(416).end();
    const rest = bytes.subarray(from);
    return response.writeHead(from ? 206 : 200, { 'content-length': rest.length }).end(rest);
  };

/** What is done when bytes have come. */
let come: () => void = () => undefined;

/** Breaks the connection off when `count` bytes of what was asked for have come. */
const cutting =
  (bytes: Buffer, count: number): Answer =>
  ({ headers }, response) => {
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from ? 206 : 200, { 'content-length': bytes.length - from });
    response.write(bytes.subarray(from, from + count));
    come = () => response.destroy();
  };

describe('a file', () => {
  const pinned = (more: Partial<Pinned> = {}): Pinned => ({
    url: `${url}/file`,
    algorithm: 'sha512',
    sum: sum('sha512', CONTENT),
    what: 'it',
    ...more,
  });
  const way = { fetch, say: () => come() };
  const file = () => join(folder, 'file');
  const get = (more: Partial<Pinned> = {}, how: object = {}) => fetchVerified(pinned(more), file(), { ...way, ...how });

  test('that is what was pinned is there, and how far it is was said', async () => {
    answer = serving(CONTENT);
    const said: string[] = [];
    await get({}, { say: (line: string) => said.push(line) });
    expect(readFileSync(file())).toEqual(CONTENT);
    expect(said.at(-1)).toBe('downloading it: 0 of 0 MB');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('that is something else is thrown away, and both sums are said', async () => {
    answer = serving(Buffer.from('evil'));
    await expect(get()).rejects.toThrow(/sent something else than was pinned: sha512 [0-9a-f]{128}, not [0-9a-f]{128}/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that is cut is gone on with, from where it was cut', async () => {
    answer = (request, response) => (asked.length < 3 ? cutting(CONTENT, 4000) : serving(CONTENT))(request, response);
    await get();
    expect(readFileSync(file())).toEqual(CONTENT);
    expect(asked.map(({ range }) => range)).toEqual([undefined, 'bytes=4000-', 'bytes=8000-']);
  });

  test('that is cut too often is gone on with the next time', async () => {
    answer = cutting(CONTENT, 1000);
    await expect(get()).rejects.toThrow(/broke off after 0\.0 MB/);
    expect(existsSync(file())).toBe(false);
    answer = serving(CONTENT);
    await get();
    expect(asked.at(-1)?.range).toBe('bytes=3000-');
    expect(readFileSync(file())).toEqual(CONTENT);
  });

  test('whose server cannot go on is got anew', async () => {
    writeFileSync(`${file()}.part`, 'something old');
    answer = (_, response) => response.writeHead(200).end(CONTENT);
    await get();
    expect(readFileSync(file())).toEqual(CONTENT);
  });

  test('of which more is here than there is is got anew', async () => {
    writeFileSync(`${file()}.part`, Buffer.concat([CONTENT, CONTENT]));
    answer = serving(CONTENT);
    await get();
    expect(readFileSync(file())).toEqual(CONTENT);
  });

  test('that is not there is asked for once, and its address said', async () => {
    answer = (_, response) => response.writeHead(404).end();
    await expect(get()).rejects.toThrow(`answers 404 (${url}/file)`);
    expect(asked).toHaveLength(1);
  });

  test('whose server cannot be reached is told in one line', async () => {
    const failed = await get({ url: 'http://127.0.0.1:1/file' }).catch((error) => error);
    expect(failed.message).toMatch(/^127\.0\.0\.1:1 can't be reached: (ECONNREFUSED|bad port) /);
  });

  test('whose server says nothing is not waited for long', async () => {
    answer = () => undefined;
    await expect(get({}, { answerMs: 30 })).rejects.toThrow("can't be reached: no answer in time");
  });

  test('that stops coming is not waited for long', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-length': CONTENT.length }).write('some');
    await expect(get({}, { stallMs: 30 })).rejects.toThrow('nothing came for 0.03 s');
  });

  test('is not waited for by whoever ends it', async () => {
    const ending = new AbortController();
    answer = () => ending.abort(new Error('ended'));
    await expect(get({}, { signal: ending.signal })).rejects.toThrow('ended');
  });
});

describe('an engine', () => {
  /** A tar.gz of scripts that say a version, by their paths. */
  function archiveOf(paths: readonly string[]): Buffer {
    const root = mkdtempSync(join(folder, 'archive-'));
    for (const path of paths) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), '#!/bin/sh\necho Kubernetes v1.37.0\n');
      chmodSync(join(root, path), 0o755);
    }
    return execFileSync('tar', ['-czf', '-', '-C', root, '.']);
  }

  /** A release served under the paths of an archive and of a registry. */
  function served(controllerManager = true): Release {
    const archive = archiveOf(['controller-tools/envtest/etcd', 'controller-tools/envtest/kube-apiserver']);
    const layers = [archiveOf(['usr/local/bin/kube-controller-manager']), archiveOf(['etc/passwd'])];
    const blobs = new Map<string, Buffer>();
    const put = (bytes: Buffer) => {
      const digest = `sha256:${sum('sha256', bytes)}`;
      blobs.set(digest, bytes);
      return { digest };
    };
    const manifest = put(Buffer.from(JSON.stringify({ layers: layers.map(put) })));
    const arm = { digest: `sha256:${'0'.repeat(64)}`, platform: { os: 'linux', architecture: 'arm64' } };
    const own = { ...manifest, platform: { os: 'linux', architecture: 'amd64' } };
    const { digest } = put(Buffer.from(JSON.stringify({ manifests: [arm, own] })));
    answer = (request, response) => {
      const bytes = request.url === '/archive.tar.gz' ? archive : blobs.get(request.url?.split('/').at(-1) ?? '');
      return bytes ? serving(bytes)(request, response) : response.writeHead(404).end();
    };
    const image = { registry: url, name: 'cm', digest, program: 'usr/local/bin/kube-controller-manager' };
    return {
      version: '1.37.0',
      archive: { url: `${url}/archive.tar.gz`, sha512: sum('sha512', archive) },
      folder: 'controller-tools/envtest',
      ...(controllerManager && { controllerManager: image }),
    };
  }

  const engines = () => join(folder, 'engine');
  const download = (release: Release, said: string[] = []) =>
    downloadEngine({ folder: engines(), release, arch: 'x64', fetch, say: (line) => said.push(line) });
  const finding = (release: Release, said: string[] = []) => {
    const say = (line: string) => said.push(line);
    return { root: ROOT, path: '', cache: folder, fetch, release, say };
  };

  test('is an archive and, out of an image by its digest, the controller manager; the cache keeps it', async () => {
    const release = served();
    const into = await download(release);
    expect(readdirSync(into).sort()).toEqual(['etcd', 'kube-apiserver', 'kube-controller-manager']);
    expect(readdirSync(engines()).sort()).toEqual(['lock', 'v1.37.0-official']);
    const found = await lookForEngine(finding(release));
    expect(found).toMatchObject({ version: '1.37.0', controllerManager: join(into, 'kube-controller-manager') });
  });

  test('is there once for two who want it at once', async () => {
    const release = served(false);
    await Promise.all([download(release), download(release)]);
    expect(asked).toHaveLength(1);
  });

  test('is not there at all where a part of it is not what was pinned', async () => {
    const release = served();
    const { controllerManager } = release;
    if (!controllerManager) throw new Error('unreachable');
    const other = { ...release, controllerManager: { ...controllerManager, digest: `sha256:${'1'.repeat(64)}` } };
    await expect(download(other)).rejects.toThrow('answers 404');
    expect(readdirSync(engines())).toEqual(['lock']);
  });

  test('that cannot be had is built instead, and one line says why', async () => {
    const said: string[] = [];
    const release = served();
    const gone = { ...release, archive: { ...release.archive, url: `${url}/gone` } };
    const before = process.env['PATH'];
    writeFileSync(join(folder, 'go'), '#!/bin/sh\nexit 127\n', { mode: 0o755 });
    process.env['PATH'] = [folder, before].join(delimiter);
    const failed = await findEngine(finding(gone, said))
      .catch((error) => error)
      .finally(() => {
        process.env['PATH'] = before;
      });
    expect(said.filter((line) => line.startsWith('Kubernetes is not downloaded'))).toEqual([
      `Kubernetes is not downloaded: 127.0.0.1:${new URL(url).port} answers 404 (${url}/gone)`,
    ]);
    expect(failed.name).toBe('NoEngine');
  });
});

test.each([
  ['linux', 'x64', true],
  ['linux', 'arm64', true],
  ['darwin', 'arm64', false],
])('there is a release for %s %s', (platform, arch, controllers) => {
  const release = releaseFor(platform, arch);
  expect(release?.archive.url).toMatch(/^https:\/\/github\.com\/kubernetes-sigs\/.*-(amd64|arm64)\.tar\.gz$/);
  expect(release?.archive.sha512).toMatch(/^[0-9a-f]{128}$/);
  expect(release?.controllerManager !== undefined).toBe(controllers);
});

test.each([
  ['win32', 'x64'],
  ['linux', 'riscv64'],
  ['constructor', 'x64'],
])('there is none for %s %s, so it is built', (platform, arch) => expect(releaseFor(platform, arch)).toBeUndefined());
