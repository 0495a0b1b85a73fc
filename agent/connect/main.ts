/**
 * An MCP server on standard streams that is a pipe to a Unix socket: agents start their servers as commands, ours lives in
 * another container. Agents keep a server that they have started for as long as they run, so that a killed sidecar would
 * cost them its tools: the pipe connects again and introduces the agent to the new one.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { makeRelay } from './relay.ts';

const [path] = process.argv.slice(2);
if (!path) {
  process.stderr.write('usage: connect SOCKET: the path of the Unix socket to connect to\n');
  process.exit(2);
}

const lines = createInterface({ input: process.stdin });
const relay = makeRelay({
  dial: () => connect(path),
  toAgent: (line) => process.stdout.write(`${line}\n`),
  log: (line) => process.stderr.write(`connect: ${line} (${path})\n`),
  gone: () => process.exit(1),
  later: (ms, act) => void setTimeout(act, ms),
});
lines.on('line', relay.fromAgent);
lines.once('close', () => relay.end().then(() => process.exit(0)));
