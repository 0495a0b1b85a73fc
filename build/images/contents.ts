/**
 * What is in each image. The lowest layer, Node and what it needs, is the same in all of them, and is all that a
 * function needs besides its bundle: no shell, no package, no certificates (Node brings its own).
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IMAGE_VERSION } from '../../lib/session/make-containers.ts';
import { FUNCTIONS } from '../bundle.ts';
import { AGENT_FOLDER, packagesIn } from './agents.ts';
import { filesOf } from './debian.ts';
import { copied, librariesOf, MERGED } from './libraries.ts';
import { type Config, type Image, layer } from './oci.ts';
import type { Entry } from './tar.ts';

export interface Places {
  /** The project's own folder, with `node_modules` and `dist`. */
  root: string;
  /** `$XDG_CACHE_HOME/tiny`. */
  cache: string;
}

/** The user that all images run as: the one of `lib/session/make-deployment.ts` and of `knative/`. */
const USER = 10001;
const HOME = '/opt/tiny';
const HARNESS = ['harness.cjs', 'connect.cjs'];

/** What a coding agent's commands find besides Node: git with its transports, a shell, and an init that reaps. */
const AGENT_PACKAGES = ['git', 'openssh-client', 'dash', 'coreutils', 'grep', 'sed', 'findutils', 'diffutils', 'tini'];
/** Name resolution of the C library is loaded when it is first needed, which `ldd` does not show. */
const RESOLVERS = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'];

const text = (path: string, content: string): Entry => ({
  kind: 'file',
  path,
  mode: 0o644,
  content: Buffer.from(content),
});

const folder = (path: string, mode: number, owner = 0): Entry => ({ kind: 'folder', path, mode, owner });

/** Node without its symbols where binutils are here: a tenth less. */
function nodeProgram(root: string): Buffer {
  const making = mkdtempSync(join(tmpdir(), 'tiny-image-'));
  const file = join(making, 'node');
  try {
    copyFileSync(join(root, 'node_modules/node/bin/node'), file);
    execFileSync('strip', [file], { stdio: 'ignore' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const program = readFileSync(file);
  rmSync(making, { recursive: true });
  return program;
}

const nodeEntries = ({ root }: Places): Entry[] => [
  ...MERGED,
  ...librariesOf([join(root, 'node_modules/node/bin/node')]),
  { kind: 'file', path: 'usr/local/bin/node', mode: 0o755, content: nodeProgram(root) },
  text('etc/passwd', `root:x:0:0:root:/root:/sbin/nologin\ntiny:x:${USER}:${USER}:tiny:/home/agent:/sbin/nologin\n`),
  text('etc/group', `root:x:0:\ntiny:x:${USER}:\n`),
  folder('tmp', 0o1777),
];

const bundles = (places: Places, part: string, names: readonly string[]): Entry[] =>
  names.map((name) => copied(join(places.root, 'dist', part, name), `opt/tiny/${name}`));

function agentEntries({ root, cache }: Places, below: readonly Entry[]): Entry[] {
  const packages = AGENT_PACKAGES.map((name) => filesOf(name, cache));
  const resolvers = librariesOf(packages.flatMap(({ sources }) => sources));
  const names = readdirSync('/lib/x86_64-linux-gnu').filter((name) => RESOLVERS.includes(name));
  const entries = [
    ...packages.flatMap((one) => one.entries),
    ...resolvers,
    ...names.map((name) => copied(join('/lib/x86_64-linux-gnu', name))),
    copied('/etc/ssl/certs/ca-certificates.crt'),
    copied(join(root, 'agent/image/node'), 'opt/tiny/bin/node'),
    { kind: 'link', path: 'usr/bin/sh', target: 'dash' } as const,
    ...['home/agent', 'workspace', 'state'].map((path) => folder(path, 0o755, USER)),
  ];
  const taken = new Set(below.map(({ path }) => path));
  return [...new Map(entries.map((entry) => [entry.path, entry])).values()].filter(({ path }) => !taken.has(path));
}

const configOf = (what: string, { entrypoint, path = '' }: { entrypoint?: string[]; path?: string } = {}): Config => ({
  ...(entrypoint && { Entrypoint: entrypoint }),
  Env: [`PATH=/opt/tiny/bin:${path}/usr/local/bin:/usr/bin:/usr/sbin`, 'NODE_ENV=production'],
  User: `${USER}:${USER}`,
  WorkingDir: '/',
  Labels: { 'org.opencontainers.image.title': what, 'org.opencontainers.image.version': IMAGE_VERSION },
});

/** What makes an image of layers above Node; large ones are kept in the cache. */
function makerOf(places: Places, below: readonly Entry[]) {
  const cache = join(places.cache, 'layers');
  const node = layer(below, cache);
  return (name: string, layers: Entry[][], config = configOf(name)): Image => ({
    name: `tiny.dev/${name}:${IMAGE_VERSION}`,
    layers: [node, ...layers.map((entries) => layer(entries, entries.length > 100 ? cache : undefined))],
    config,
  });
}

/** The image of a preset's agent, whose packages are in the folder `packages`. */
export function makeAgentImage(places: Places, agent: string, packages: string): Image {
  const below = nodeEntries(places);
  const layers = [agentEntries(places, below), packagesIn(packages), bundles(places, 'agent', HARNESS)];
  const path = `/${AGENT_FOLDER}/.bin:`;
  return makerOf(places, below)(`agent-${agent}`, layers, configOf(`agent-${agent}`, { path }));
}

/** All other images. Throws where a bundle is missing, or a package that is neither here nor to be had. */
export function makeImages(places: Places): Image[] {
  const below = nodeEntries(places);
  const makeImage = makerOf(places, below);
  const functions = FUNCTIONS.map((name) => {
    const files = [`${name}.cjs`, `${name}.bundle.cjs`, `${name}.bundle.cache`];
    const config = configOf(`function-${name}`, { entrypoint: ['node', `${HOME}/${name}.cjs`] });
    return makeImage(`function-${name}`, [bundles(places, 'functions', files)], config);
  });
  return [
    ...functions,
    makeImage('agent-tools', [bundles(places, 'agent', ['tools.cjs', 'reader.cjs'])]),
    makeImage('agent-git', [agentEntries(places, below), bundles(places, 'agent', ['tools.cjs', 'clone.cjs'])]),
    makeImage('agent-rehearsal', [
      agentEntries(places, below),
      bundles(places, 'agent', [...HARNESS, 'rehearsal.cjs']),
    ]),
  ];
}
