/**
 * Server-side apply. The API server keeps `metadata.uid` as a precondition only half-way (seen on 1.37): an apply to a
 * newer object of the same name is called Invalid, and an apply to `/status` ignores the uid. Here both are a Conflict.
 */
import type { KubeObject, Stored } from '../api/meta.ts';
import { ApiError, isConflict, isInvalid } from './errors.ts';
import { objectPath, query } from './path.ts';
import type { ApplyOptions, Client, ResourceType } from './types.ts';

const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * The API server reads the body as YAML, of which JSON is a part but for a few characters: YAML folds U+0085, U+2028
 * and U+2029 as line ends and refuses control characters. Those go as escapes.
 */
const applyBody = (object: unknown): string =>
  JSON.stringify(object).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);

const conflict = ({ kind, metadata: { name, uid } }: KubeObject) =>
  new ApiError(409, {
    code: 409,
    reason: 'Conflict',
    message: `${kind} ${name} is no longer the object with uid ${uid}`,
  });

const notFound = ({ plural }: ResourceType, { metadata: { name } }: KubeObject) =>
  new ApiError(404, { code: 404, reason: 'NotFound', message: `${plural} "${name}" not found`, details: { name } });

const isAboutUid = (error: unknown) =>
  isInvalid(error) && error.status.details?.causes?.some(({ field }) => field === 'metadata.uid') === true;

/** Other writers of a status are few; a conflict with one passes at the next try. */
const ATTEMPTS = 5;

/** Sends an apply to a path. */
type Send = <T>(path: string, body: string) => Promise<T>;

export function makeApply(send: Send, { get, fieldManager }: Pick<Client, 'get' | 'fieldManager'>) {
  const forced = query({ fieldManager, force: true });
  const toStatus = <T extends KubeObject>(type: ResourceType<T>, object: KubeObject) =>
    send<Stored<T>>(objectPath(type, object.metadata, 'status') + forced, applyBody(object));

  /** Where the object is the one with the uid, its version; that the API server does check. */
  const versionOf = async (type: ResourceType, object: KubeObject) => {
    const current = await get(type, object.metadata);
    if (!current) throw notFound(type, object);
    if (current.metadata.uid !== object.metadata.uid) throw conflict(object);
    return current.metadata.resourceVersion;
  };

  const guarded = async <T extends KubeObject>(
    type: ResourceType<T>,
    object: KubeObject,
    attempts = ATTEMPTS,
  ): Promise<Stored<T>> => {
    const resourceVersion = await versionOf(type, object);
    try {
      return await toStatus(type, { ...object, metadata: { ...object.metadata, resourceVersion } });
    } catch (error) {
      if (attempts === 1 || !isConflict(error)) throw error;
    }
    return await guarded(type, object, attempts - 1);
  };

  return {
    apply: async <T extends KubeObject>(
      type: ResourceType<T>,
      object: T,
      { dryRun, force = true, fieldManager: manager = fieldManager }: ApplyOptions = {},
    ): Promise<Stored<T>> => {
      const asked = query({ fieldManager: manager, force, dryRun: dryRun ? 'All' : undefined });
      const path = objectPath(type, object.metadata) + asked;
      try {
        return await send(path, applyBody(object));
      } catch (error) {
        throw isAboutUid(error) ? conflict(object) : error;
      }
    },
    /** With a uid and no version it reads first: one request more. */
    applyStatus: async <T extends KubeObject>(type: ResourceType<T>, object: KubeObject): Promise<Stored<T>> => {
      const { uid, resourceVersion } = object.metadata;
      return await (uid && !resourceVersion ? guarded(type, object) : toStatus(type, object));
    },
  };
}
