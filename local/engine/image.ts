/**
 * One program out of a container image that is pinned by digest: the index names the platform's manifest, that names the
 * layers, each by its own digest, so that one pinned digest vouches for all (OCI distribution and image specifications).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fetchVerified, NotDownloaded, type Pinned, type Way } from './fetch-verified.ts';
import type { PinnedImage } from './releases.ts';

const OCI = 'application/vnd.oci.image';
const DOCKER = 'application/vnd.docker.distribution.manifest';
const ACCEPT = [`${OCI}.index.v1+json`, `${DOCKER}.list.v2+json`, `${OCI}.manifest.v1+json`, `${DOCKER}.v2+json`];

interface Described {
  digest: string;
  platform?: { os?: string; architecture?: string };
}
interface Manifest {
  manifests?: Described[];
  layers?: Described[];
}

export interface Wanted {
  image: PinnedImage;
  /** As in `amd64`. */
  architecture: string;
  /** A folder to unpack in; the program is below it at its path. */
  into: string;
}

function pinnedPart({ registry, name }: PinnedImage, kind: 'manifests' | 'blobs', digest: string): Pinned {
  const sum = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
  if (!sum) throw new NotDownloaded(`image ${name} names the digest ${digest}, which is none that is known here`);
  return { url: `${registry}/v2/${name}/${kind}/${digest}`, algorithm: 'sha256', sum, what: name };
}

async function manifestOf({ image, into }: Wanted, digest: string, way: Way): Promise<Manifest> {
  const file = join(into, 'manifest.json');
  await fetchVerified({ ...pinnedPart(image, 'manifests', digest), accept: ACCEPT.join(', ') }, file, way);
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}

/** Leaves the program at `into/<program>`. Throws `NotDownloaded`. */
export async function fetchProgram(wanted: Wanted, way: Way): Promise<void> {
  const { image, architecture, into } = wanted;
  const { manifests = [] } = await manifestOf(wanted, image.digest, way);
  const fits = ({ platform }: Described) => platform?.os === 'linux' && platform.architecture === architecture;
  const own = manifests.find(fits);
  if (!own) throw new NotDownloaded(`image ${image.name} has nothing for linux/${architecture}`);
  const { layers = [] } = await manifestOf(wanted, own.digest, way);
  for (const { digest } of layers.toReversed()) {
    const file = join(into, 'layer.tar.gz');
    await fetchVerified(pinnedPart(image, 'blobs', digest), file, way);
    execFileSync('tar', ['-xzf', file, '-C', into]);
    rmSync(file);
    if (existsSync(join(into, image.program))) return;
  }
  throw new NotDownloaded(`image ${image.name} has no ${image.program}`);
}
