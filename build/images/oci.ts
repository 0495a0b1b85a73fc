/**
 * Container images as archives in the OCI image layout, without Docker. `manifest.json` is there besides, as in what
 * `docker save` writes, because `docker load` and kind read that.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Entry, tar } from './tar.ts';

/** A part of an image's file system, which images can share. */
export interface Layer {
  /** Of the archive before it is compressed. */
  diffId: string;
  compressed: Buffer;
}

/** What is run, as in the OCI image configuration. */
export interface Config {
  Entrypoint?: string[];
  Env: string[];
  User: string;
  WorkingDir: string;
  Labels: Record<string, string>;
}

export interface Image {
  /** With its tag. */
  name: string;
  layers: readonly Layer[];
  config: Config;
}

const OCI = 'application/vnd.oci.image';
const MOST = 9;
const ARCHITECTURE: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const pathOf = (digest: string): string => `blobs/${digest.replace(':', '/')}`;

/** Compresses the entries. What was compressed before is taken from the folder `cache`, if one is given. */
export function layer(entries: readonly Entry[], cache?: string): Layer {
  const archive = tar(entries);
  const diffId = digestOf(archive);
  const file = cache && join(cache, `${diffId.slice('sha256:'.length)}.gz`);
  if (file && existsSync(file)) return { diffId, compressed: readFileSync(file) };
  const compressed = gzipSync(archive, { level: MOST });
  if (file) keep(file, compressed);
  return { diffId, compressed };
}

/** All or nothing. */
function keep(file: string, content: Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, content);
  renameSync(`${file}.${process.pid}`, file);
}

const described = (bytes: Buffer, mediaType: string) => ({ mediaType, digest: digestOf(bytes), size: bytes.length });

const file = (path: string, content: Buffer): Entry => ({ kind: 'file', path, mode: 0o644, content });
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** The image's archive, and its digest. Without a date, so that it is the same each time. */
export function archive({ name, layers, config }: Image): { bytes: Buffer; digest: string } {
  const configuration = json({
    architecture: ARCHITECTURE[process.arch] ?? process.arch,
    os: 'linux',
    config,
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: `${OCI}.manifest.v1+json`,
    config: described(configuration, `${OCI}.config.v1+json`),
    layers: layers.map(({ compressed }) => described(compressed, `${OCI}.layer.v1.tar+gzip`)),
  });
  const blobs = [configuration, manifest, ...layers.map(({ compressed }) => compressed)];
  const annotations = {
    'io.containerd.image.name': name,
    'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
  };
  const index = { schemaVersion: 2, manifests: [{ ...described(manifest, `${OCI}.manifest.v1+json`), annotations }] };
  const asDocker = [
    {
      Config: pathOf(digestOf(configuration)),
      RepoTags: [name],
      Layers: layers.map(({ compressed }) => pathOf(digestOf(compressed))),
    },
  ];
  const bytes = tar([
    ...blobs.map((blob) => file(pathOf(digestOf(blob)), blob)),
    file('index.json', json(index)),
    file('manifest.json', json(asDocker)),
    file('oci-layout', json({ imageLayoutVersion: '1.0.0' })),
  ]);
  return { bytes, digest: digestOf(manifest) };
}
