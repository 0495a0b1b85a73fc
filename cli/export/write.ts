/** Writes a Session's archive: the manifest, then what a pod prints of the volume. A file is there whole or not at all. */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import { MANIFEST, type Manifest } from '../../lib/archive/layout.ts';
import { paddingOf, tarHeader } from '../../lib/archive/tar-write.ts';
import type { App } from '../app.ts';
import { Failure } from '../failure.ts';
import { startProgress } from '../output/progress.ts';
import { sizeOf } from '../transcript/marks.ts';
import { linesOfVolume } from '../transcript/source.ts';

/** What another Session takes over where it is not told otherwise; nothing of it runs anything. */
export function manifestOf({ metadata, spec }: Stored<Session>, now: Date): Manifest {
  const { agent, repository, storage } = spec;
  return {
    format: 'tiny.dev/session-archive',
    version: 1,
    session: { name: metadata.name, uid: metadata.uid },
    at: now.toISOString(),
    spec: {
      agent: { name: agent.name, ...(agent.model && { model: agent.model }) },
      ...(repository && { repository: { url: repository.url, ...(repository.ref && { ref: repository.ref }) } }),
      storage: { size: storage.size },
    },
  };
}

function beginning(manifest: Manifest): Buffer {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  const header = tarHeader({ path: MANIFEST, type: 'file', mode: 0o644, size: text.length });
  return gzipSync(Buffer.concat([header, text, paddingOf(text.length)]));
}

/** The archive's bytes, as they come. */
async function* bytesOf(app: App, session: Stored<Session>): AsyncGenerator<Buffer> {
  yield beginning(manifestOf(session, app.now()));
  for await (const line of linesOfVolume(app, session, 'archive')) yield Buffer.from(line, 'base64');
}

type Sink = (bytes: Buffer) => Promise<unknown>;

/** How many bytes were written. */
async function writeAll(app: App, session: Stored<Session>, sink: Sink): Promise<number> {
  const { name } = session.metadata;
  const progress = startProgress(app.io.stderr, `Exporting ${name}`);
  let bytes = 0;
  try {
    for await (const piece of bytesOf(app, session)) {
      await sink(piece);
      bytes += piece.length;
      progress.say(`Exporting ${name}: ${sizeOf(bytes)}`);
    }
    return bytes;
  } finally {
    progress.end();
  }
}

const into =
  (stream: Writable): Sink =>
  async (bytes) =>
    stream.write(bytes) || once(stream, 'drain');

/** To standard output. */
export const exportToOutput = (app: App, session: Stored<Session>): Promise<number> =>
  writeAll(app, session, async (bytes) => app.io.stdout.write(bytes));

/** To a file that is not there yet. */
export async function exportToFile(app: App, session: Stored<Session>, path: string): Promise<number> {
  const half = `${path}.part`;
  const stream = createWriteStream(half, { flags: 'w', mode: 0o600 });
  // A failure shows in `writeAll` or at the end; without a listener it would end the process.
  const done = finished(stream);
  done.catch(() => {});
  try {
    const bytes = await writeAll(app, session, into(stream));
    stream.end();
    await done;
    renameSync(half, path);
    return bytes;
  } catch (error) {
    stream.destroy();
    // Where it is still being opened, it is there only then.
    await done.catch(() => {});
    rmSync(half, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (!code?.startsWith('E')) throw error;
    throw new Failure(`${path} can't be written: ${(error as Error).message}`);
  }
}
