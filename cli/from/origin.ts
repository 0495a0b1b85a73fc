/** What `tiny new --from` goes on from: an archive that is a file here, or another Session of the project. */
import { createReadStream, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { isTrue } from '../../lib/api/conditions.ts';
import { API_VERSION, type Stored } from '../../lib/api/meta.ts';
import { type Session, sessionSpec } from '../../lib/api/session.ts';
import type { Manifest } from '../../lib/archive/layout.ts';
import { openArchive } from '../../lib/archive/open.ts';
import { ArchiveError } from '../../lib/archive/tar-read.ts';
import { CLAIMS, SESSIONS } from '../../lib/kube/types.ts';
import { formerUid, type Memory, memoryOf, type RetainedClaim, sizeOfClaim } from '../../lib/session/retained.ts';
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
function unzipped(path: string): AsyncIterable<Uint8Array> {
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

/** How a volume is named whose Session is gone. */
const VOLUME = 'volume/';

/** Of the Session that is gone, what its claim says of it: enough to mount that and to go on. */
async function volumeOrigin(app: App, name: string): Promise<Origin> {
  const { client, namespace } = await app.cluster();
  const claim = (await client.get(CLAIMS, { namespace, name })) as RetainedClaim | undefined;
  const uid = claim && formerUid(claim);
  const memory = claim && memoryOf(claim);
  if (!claim || !uid || !memory) {
    throw new Failure(
      `there is no volume "${safeLine(name)}" that a Session has left behind and that says what it was`,
      '`tiny volumes` lists them.',
    );
  }
  if ((await client.get(SESSIONS, { namespace, name }))?.metadata.uid === uid)
    throw new Failure(`the Session of volume "${name}" is there still`, `Go on from that: --from ${name}`);
  const session = formerSession(claim, { uid, memory });
  return { kind: 'session', session, manifest: manifestOf(session, app.now()) };
}

/** As much of the Session that is gone as it takes to mount its volume and to go on. */
function formerSession(claim: RetainedClaim, { uid, memory }: { uid: string; memory: Memory }): Stored<Session> {
  const { requester: _, ...spec } = memory;
  const parsed = sessionSpec.safeParse({ prompt: '-', ...spec, storage: { size: sizeOfClaim(claim) } });
  if (!parsed.success) throw new Failure(`volume "${claim.metadata.name}" says of its Session what none can be`);
  return { apiVersion: API_VERSION, kind: 'Session', metadata: { ...claim.metadata, uid }, spec: parsed.data };
}

/** Throws where there is none, or none that can be gone on from. */
export async function findOrigin(app: App, given: string): Promise<Origin> {
  if (given === '-') throw new UsageError('--from takes a file or a Session, not standard input');
  if (isFile(given)) {
    const manifest = await withProgress(app.io.stderr, `Checking ${safeLine(given)}`, () => checkArchive(given));
    return { kind: 'archive', path: given, manifest };
  }
  if (given.startsWith(VOLUME)) return volumeOrigin(app, given.slice(VOLUME.length));
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
