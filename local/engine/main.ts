/** `npm run engine`: makes sure that the real engine is there, and says where. What gets it says how far it is. */
import { join } from 'node:path';
import { readEnvironment } from '../env.ts';
import { findEngine, NoEngine } from './find.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A line for each package would be thousands. Milliseconds between lines. */
const SAID_EVERY_MS = 5000;
const PROGRESS = /^(building: |downloading )/;

/** At most one line of progress in a while; what is not progress is always said. */
function sparingly(write: (line: string) => void): (line: string) => void {
  let last = 0;
  return (line) => {
    if (PROGRESS.test(line) && Date.now() - last < SAID_EVERY_MS) return;
    last = Date.now();
    write(line);
  };
}

const write = (line: string) => void process.stdout.write(`${line}\n`);

try {
  const began = Date.now();
  const found = await findEngine({ ...readEnvironment(), root: ROOT, fetch, say: sparingly(write) });
  write(`Kubernetes v${found.version}: ${found.apiServer} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  if (!found.controllerManager) write('without a controller manager');
} catch (error) {
  if (!(error instanceof NoEngine)) throw error;
  process.stderr.write(`${error.message}\n${error.advice}\n`);
  process.exitCode = 1;
}
