/**
 * `npm run images [FOLDER]`: packs the images as archives into `dist/images`, without Docker, from what npm and this
 * machine (Debian, x86-64) have. How they get into a cluster is in docs/images.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment } from '../local/env.ts';
import { bundle } from './bundle.ts';
import { makeImages } from './images/contents.ts';
import { archive } from './images/oci.ts';

const MB = 1e6;

/** Packs them into `folder`, and gives their files. `root` is the project's own folder. */
export async function packImages(root: string, folder: string): Promise<string[]> {
  await bundle(root);
  mkdirSync(folder, { recursive: true });
  return makeImages({ root, cache: readEnvironment().cache }).map((image) => {
    const { bytes, digest } = archive(image);
    const [, name = ''] = /\/([^:]+):/.exec(image.name) ?? [];
    const file = join(folder, `${name}.tar`);
    writeFileSync(file, bytes);
    const own = image.layers.slice(1).reduce((sum, { compressed }) => sum + compressed.length, 0);
    const size = `${(bytes.length / MB).toFixed(1)} MB, ${(own / MB).toFixed(2)} MB of it above Node`;
    process.stdout.write(`${image.name}  ${size}  ${digest}\n`);
    return file;
  });
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  await packImages(root, process.argv[2] ?? join(root, 'dist/images'));
}
