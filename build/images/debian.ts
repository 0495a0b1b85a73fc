/**
 * The files of Debian packages: of those that this machine has installed, else fetched by apt and unpacked beside it,
 * so that nothing is installed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copied, placeOf } from './libraries.ts';
import type { Entry } from './tar.ts';

/** Neither installed nor to be had. */
export class NoPackage extends Error {
  override name = 'NoPackage';
}

const say = (program: string, args: string[], cwd?: string): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...(cwd && { cwd }) });

/** The paths of an installed package; `undefined` where it is not installed. */
function installed(name: string): string[] | undefined {
  try {
    return say('dpkg', ['-L', name])
      .split('\n')
      .filter((line) => line.startsWith('/') && line !== '/.');
  } catch {
    return undefined;
  }
}

/** Unpacks the package into a folder of `cache`, once, and says where. Throws `NoPackage`. */
export function unpacked(name: string, cache: string): string {
  const folder = join(cache, 'debian', name);
  if (existsSync(folder)) return folder;
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    say('apt-get', ['download', '-q', name], making);
    const [file = ''] = readdirSync(making);
    say('dpkg', ['-x', file, 'root'], making);
    renameSync(join(making, 'root'), folder);
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    throw new NoPackage(
      `the Debian package ${name} is not installed, and apt can't fetch it: ${stderr.trim() || error}`,
    );
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

/** What an image does without. */
const LEFT_OUT =
  /^\/usr\/share\/(doc|man|locale|lintian|bash-completion|info|perl5|bug)\/|^\/etc\/(bash_completion|init)/;

function entryOf(root: string, path: string): Entry[] {
  const file = join(root, path);
  const stat = lstatSync(file);
  if (stat.isSymbolicLink()) return [{ kind: 'link', path: placeOf(path), target: readlinkSync(file) }];
  return stat.isFile() ? [copied(file, placeOf(path))] : [];
}

export interface Files {
  entries: Entry[];
  /** Where they are here, for their libraries. */
  sources: string[];
}

/** What the package brings, apart from what is only read by people. Throws `NoPackage`. */
export function filesOf(name: string, cache: string): Files {
  const here = installed(name);
  const root = here ? '/' : unpacked(name, cache);
  const paths = here ?? readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => `/${path}`);
  const kept = paths.filter((path) => !LEFT_OUT.test(path) && existsSync(join(root, path)));
  const entries = kept.flatMap((path) => entryOf(root, path));
  const sources = kept.map((path) => join(root, path)).filter((file) => lstatSync(file).isFile());
  return { entries, sources };
}
