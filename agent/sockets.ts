/** Unix sockets in the folder that both containers mount; what a killed predecessor left there is removed. */
import { chmodSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';

/** Listens at `path`, for the pod's group alone. */
export function listenAt(server: Server, path: string): Promise<void> {
  rmSync(path, { force: true });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      chmodSync(path, 0o660);
      resolve();
    });
  });
}
