/** `node build/record.ts BUNDLE`: runs a function's bundle, and at its end writes what V8 has compiled into the cache beside it. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { cacheOf, load, sealed } from '../functions/load.ts';

const [, , file = ''] = process.argv;
const script = load(file);
process.on('exit', () => {
  const made = `${cacheOf(file)}.${process.pid}`;
  writeFileSync(made, sealed(readFileSync(file), script.createCachedData()));
  renameSync(made, cacheOf(file));
});
const module = { exports: {} };
script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
