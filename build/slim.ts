/**
 * What the bundle of a function does without, for its cold start (docs/decisions/cold-start.md). The gate in
 * `functions/serve.ts` makes every body plain bytes, so that of the framework's body parsers only the raw one reads;
 * what the others would need throws, should it ever be reached. `test/functions/bundle.test.ts` holds that it is not.
 */
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** What no request can reach, and why. */
export const ABSENT: Record<string, string> = {
  'iconv-lite': 'decodes text of other charsets; bytes are taken as they are',
  qs: 'parses forms and nested queries; no form gets past the gate, and nobody reads the query of a URL',
  'node:zlib': 'inflates bodies; the gate drops content-encoding, so that a compressed body is unreadable',
};

/** Of 2,500 media types, those that the framework and express look up by themselves. */
const MEDIA_TYPES = ['application/json', 'application/octet-stream', 'text/html', 'text/plain'];

/** `debug` writes only where DEBUG is set, which no manifest does; for colours it looks for a package on the disk. */
const SILENT = 'module.exports = () => () => {};';

const absent = (name: string): string => `
const reached = () => { throw new Error('${name} is not in this bundle, see build/slim.ts'); };
module.exports = new Proxy({}, { get: reached });`;

/** Leaves that out. */
export const slim: Plugin = {
  name: 'slim',
  setup({ onResolve, onLoad }) {
    const names = ['debug', ...Object.keys(ABSENT)].join('|');
    onResolve({ filter: new RegExp(`^(${names})$`) }, ({ path }) => ({ path, namespace: 'slim' }));
    onLoad({ filter: /.*/, namespace: 'slim' }, ({ path }) => ({ contents: path === 'debug' ? SILENT : absent(path) }));
    onLoad({ filter: /[/\\]mime-db[/\\]db\.json$/ }, ({ path }) => {
      const all = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
      const some = Object.fromEntries(MEDIA_TYPES.map((type) => [type, all[type]]));
      return { loader: 'json', contents: JSON.stringify(some) };
    });
  },
};
