/** The agents of the presets as they are in images: the packages that agent/presets pins, without what no program reads. */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { copied } from './libraries.ts';
import type { Entry } from './tar.ts';

/** Where an agent's packages are in its image; their commands are on the path. */
export const AGENT_FOLDER = 'opt/agent/node_modules';

/** Names of the presets that have packages of their own. */
export const agentsOf = (root: string): string[] =>
  (JSON.parse(readFileSync(join(root, 'agent/presets/package.json'), 'utf8')) as { workspaces: string[] }).workspaces;

/** Maps of sources, and the link by which npm knows a workspace. */
const LEFT_OUT = /\.map$|^tiny-agent-[a-z-]+$|^\.package-lock\.json$/;

function entryOf(folder: string, path: string): Entry[] {
  const file = join(folder, path);
  const stat = lstatSync(file);
  const at = `${AGENT_FOLDER}/${path}`;
  if (stat.isSymbolicLink()) return [{ kind: 'link', path: at, target: readlinkSync(file) }];
  return stat.isFile() ? [copied(file, at)] : [];
}

/** The entries of a `node_modules`. */
export const packagesIn = (folder: string): Entry[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !LEFT_OUT.test(path))
    .flatMap((path) => entryOf(folder, path));
