/**
 * `npm run images [FOLDER]`: packs the images as archives into `dist/images`, without Docker, from what npm and this
 * machine (Debian, x86-64) have. How they get into a cluster is in docs/images.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readEnvironment } from '../local/env.ts';
import { agentPackages, type RealAgent } from './agent-packages.ts';
import { bundle } from './bundle.ts';
import { agentsOf } from './images/agents.ts';
import { makeAgentImage, makeImages } from './images/contents.ts';
import { archive, type Image } from './images/oci.ts';

const MB = 1e6;

/** Writes the image into `folder`, says how large it is, and gives its file. */
function write(image: Image, folder: string): string {
  const { bytes, digest } = archive(image);
  const [, name = ''] = /\/([^:]+):/.exec(image.name) ?? [];
  const file = join(folder, `${name}.tar`);
  writeFileSync(file, bytes);
  const own = image.layers.slice(1).reduce((sum, { compressed }) => sum + compressed.length, 0);
  const size = `${(bytes.length / MB).toFixed(1)} MB, ${(own / MB).toFixed(2)} MB of it above Node`;
  process.stdout.write(`${image.name}  ${size}  ${digest}\n`);
  return file;
}

/** Packs all but the agents from npm into `folder`, and gives their files. `root` is the project's own folder. */
export async function packImages(root: string, folder: string): Promise<string[]> {
  await bundle(root);
  mkdirSync(folder, { recursive: true });
  return makeImages({ root, cache: readEnvironment().cache }).map((image) => write(image, folder));
}

/** Packs a preset's agent; of one that can't be had here it says why. The bundles have to be there. */
async function packAgent(root: string, folder: string, agent: RealAgent): Promise<void> {
  const { cache, path } = readEnvironment();
  try {
    const { bin } = await agentPackages({ cache, env: { HOME: homedir(), PATH: path } }, [agent]);
    write(makeAgentImage({ root, cache }, agent, dirname(bin)), folder);
  } catch (error) {
    process.stdout.write(`tiny.dev/agent-${agent} is skipped: ${(error as Error).message}\n`);
  }
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const folder = process.argv[2] ?? join(root, 'dist/images');
  await packImages(root, folder);
  for (const agent of agentsOf(root)) await packAgent(root, folder, agent as RealAgent);
}
