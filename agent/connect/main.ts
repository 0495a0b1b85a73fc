/**
 * Pipes standard input and output to a Unix socket. Agents start their MCP servers as commands on standard streams;
 * ours lives in another container and is reached over a socket in a volume that both mount.
 */
import { connect } from 'node:net';

const path = process.argv[2];
if (!path) {
  process.stderr.write('usage: connect SOCKET: the path of the Unix socket to connect to\n');
  process.exit(2);
}

const socket = connect(path);
socket.once('error', (error: NodeJS.ErrnoException) => {
  const why = error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? 'nothing listens there' : error.message;
  process.stderr.write(
    `connect: can't reach the session's tools at ${path}: ${why}. Is the "tools" container of this pod running?\n`,
  );
  process.exit(1);
});
process.stdin.pipe(socket).pipe(process.stdout);
socket.once('close', () => process.exit(0));
