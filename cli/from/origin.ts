/** What `tiny new --from` goes on from: an archive that is a file here, or another Session of the project. */
import { createReadStream, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { isTrue } from '../../lib/api/conditions.ts';
import type { Stored } from '../../lib/api/meta.ts';
import type { Session } from '../../lib/api/session.ts';
import type { Manifest } from '../../lib/archive/layout.ts';
import { openArchive } from '../../lib/archive/open.ts';
import { ArchiveError } from '../../lib/archive/tar-read.ts';
import { SESSIONS } from '../../lib/kube/types.ts';
import { CONDITION } from '../../lib/session/status.ts';
import type { App } from '../app.ts';
import { manifestOf } from '../export/write.ts';
import { Failure, UsageError } from '../failure.ts';
import { withProgress } from '../output/progress.ts';
import { safeLine } from '../output/safe.ts';
import { find } from '../session/find.ts';

export type Origin =
  | { kind: 'archive'; path: string; manifest: Manifest }
  | { kind: 'session'; session: Stored<Session>; manifest: Manifest };

/** A path, or something that looks like one. */
const isFile = (given: string): boolean =>
  !given.startsWith('session/') &&
  (/\.(tgz|tar\.gz)$/.test(given) || statSync(given, { throwIfNoEntry: false })?.isFile() === true);

/** The archive's bytes, unzipped. */
export function unzipped(path: string): AsyncIterable<Uint8Array> {
  const bytes = createGunzip();
  createReadStream(path)
    .on('error', (error) => bytes.destroy(error))
    .pipe(bytes);
  return bytes;
}

/** Reads the archive from end to end before anything is made of it. */
async function checkArchive(path: string): Promise<Manifest> {
  let found: Manifest | undefined;
  const drain = async (body: AsyncIterable<Uint8Array>) => {
    for await (const _ of body);
  };
  try {
    await openArchive(unzipped(path), {
      manifest: (manifest) => {
        found = manifest;
      },
      entry: ({ body }) => drain(body),
    });
  } catch (error) {
    throw refusal(path, error);
  }
  if (found) return found;
  throw new Failure(`${path} holds nothing`);
}

function refusal(path: string, error: unknown): Failure {
  const { code, message } = error as NodeJS.ErrnoException;
  if (error instanceof ArchiveError) return new Failure(`${path} is refused: ${message}`, 'Nothing was made.');
  if (code?.startsWith('Z')) return new Failure(`${path} is refused: it is no gzip archive, or broken (${message})`);
  return new Failure(`${path} can't be read: ${message}`);
}

/** Throws where there is none, or none that can be gone on from. */
export async function findOrigin(app: App, given: string): Promise<Origin> {
  if (given === '-') throw new UsageError('--from takes a file or a Session, not standard input');
  if (isFile(given)) {
    const manifest = await withProgress(app.io.stderr, `Checking ${safeLine(given)}`, () => checkArchive(given));
    return { kind: 'archive', path: given, manifest };
  }
  const { client, namespace } = await app.cluster();
  const session = await find(client, { type: SESSIONS, namespace, name: given });
  const { name } = session.metadata;
  if (!isTrue(session, CONDITION.suspended)) {
    throw new Failure(
      `Session "${name}" runs, and a copy of what it is writing would be neither one thing nor the other`,
      `\`tiny suspend ${name}\` stops it, \`tiny resume ${name}\` lets it go on afterwards.`,
    );
  }
  return { kind: 'session', session, manifest: manifestOf(session, app.now()) };
}
