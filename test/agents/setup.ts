/** Installs the agents once before all files of the suite; where that fails, no file waits for the registry again. */
import { findAgents, MISSING } from './stage.ts';

export async function setup(): Promise<void> {
  const found = await findAgents(process.env);
  if ('bin' in found) return;
  process.stderr.write(`NO AGENTS, all is skipped: they can't be installed: ${found.missing}\n`);
  process.env[MISSING] = found.missing;
}
