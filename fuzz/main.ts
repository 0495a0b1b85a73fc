/**
 * `npm run fuzz [-- NAME…] [--inputs N] [--seed N]`: what comes from outside, tried with inputs that nobody would send by
 * mistake. Ends with 1 where a verifier accepts what is not signed, or anything is thrown that nobody expects.
 */
import { parseArgs } from 'node:util';
import { githubTargets } from './github.ts';
import { intakeTargets } from './intake.ts';
import { fuzz } from './run.ts';
import { slackTargets } from './slack.ts';

const TARGETS = [...slackTargets, ...intakeTargets, ...githubTargets];
/** Of each target. */
const INPUTS = '100000';
const SEED = '20261130';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { inputs: { type: 'string', default: INPUTS }, seed: { type: 'string', default: SEED } },
});

const chosen = TARGETS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
if (chosen.length === 0) process.stderr.write(`there are: ${TARGETS.map(({ name }) => name).join(', ')}\n`);
process.exitCode = chosen.length === 0 ? 2 : 0;
for (const target of chosen) {
  const { name, inputs, accepted, wrong } = await fuzz(target, Number(values.inputs), Number(values.seed));
  process.stdout.write(`${name.padEnd(20)} ${inputs} inputs, ${accepted} accepted: ${wrong ?? target.holds}\n`);
  if (wrong) process.exitCode = 1;
}
