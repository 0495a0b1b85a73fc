/** The refusals of the API server, in its own words. */
import { ApiError } from '../../lib/kube/errors.ts';
import { resourceName } from '../../lib/kube/path.ts';
import type { Stored } from '../types.ts';

/** The resource that a refusal is about. */
export interface About {
  group: string;
  plural: string;
}

/** One thing wrong with an object; `reason` is one of the API's CauseTypes, such as `FieldValueInvalid`. */
export interface Cause {
  field: string;
  reason: string;
  message: string;
}

const details = ({ group, plural }: About, name: string) => ({ name, ...(group && { group }), kind: plural });

/** A refusal about one object, worded with its resource and name. */
const about = (code: number, reason: string, text: (what: string) => string) => (of: About, name: string) =>
  new ApiError(code, { reason, message: text(`${resourceName(of)} "${name}"`), details: details(of, name) });

export const notFound = about(404, 'NotFound', (what) => `${what} not found`);
export const alreadyExists = about(409, 'AlreadyExists', (what) => `${what} already exists`);
export const conflict = (of: About, name: string, why: string): ApiError =>
  about(409, 'Conflict', (what) => `Operation cannot be fulfilled on ${what}: ${why}`)(of, name);
export const forbidden = (of: About, name: string, why: string): ApiError =>
  about(403, 'Forbidden', (what) => `${what} is forbidden: ${why}`)(of, name);

const refusal =
  (code: number, reason: string) =>
  (message: string): ApiError =>
    new ApiError(code, { reason, message });

export const badRequest = refusal(400, 'BadRequest');
export const unauthorized = refusal(401, 'Unauthorized');
export const methodNotAllowed = refusal(405, 'MethodNotAllowed');
export const expired = refusal(410, 'Expired');
export const tooLarge = refusal(413, 'RequestEntityTooLarge');
export const unsupportedType = refusal(415, 'UnsupportedMediaType');
export const internal = refusal(500, 'InternalError');
/** What Kubernetes has and the stand-in does not. */
export const notImplemented = (what: string): ApiError =>
  refusal(501, 'NotImplemented')(`the stand-in for Kubernetes does not have ${what}`);
export const noSuchPath = (): ApiError =>
  refusal(
    404,
    'NotFound',
  )('the server could not find the requested resource: the stand-in for Kubernetes has only what tiny uses');

const as = (reason: string, field: string, message: string): Cause => ({
  field,
  reason: `FieldValue${reason}`,
  message,
});

export const cause = {
  required: (field: string) => as('Required', field, 'Required value'),
  invalid: (field: string, value: unknown, detail: string) =>
    as('Invalid', field, `Invalid value: ${typeof value === 'object' ? '' : `${JSON.stringify(value)}: `}${detail}`),
  unsupported: (field: string, value: unknown, supported: readonly unknown[]) => {
    const all = supported.map((each) => JSON.stringify(each)).join(', ');
    return as('NotSupported', field, `Unsupported value: ${JSON.stringify(value)}: supported values: ${all}`);
  },
  type: (field: string, type: string, wanted: string) =>
    as('TypeInvalid', field, `Invalid value: "${type}": ${field} in body must be of type ${wanted}: "${type}"`),
  tooLong: (field: string, max: unknown) => as('TooLong', field, `Too long: may not be more than ${max} bytes`),
};

/** 422 with every cause, worded as `Session.tiny.dev "x" is invalid: spec.prompt: Required value`. */
export function invalid({ group, kind }: { group: string; kind: string }, name: string, causes: Cause[]): ApiError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const what = resourceName({ group, plural: kind });
  return new ApiError(422, {
    reason: 'Invalid',
    message: `${what} "${name}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    details: { ...details({ group, plural: kind }, name), causes },
  });
}

const STATUS = { kind: 'Status', apiVersion: 'v1', metadata: {} };

/** A refusal as the body of an answer. */
export const statusOf = ({ code, status }: ApiError): Record<string, unknown> => ({
  ...{ ...STATUS, status: 'Failure' },
  ...status,
  code,
});

/** The answer to a deletion that is done. */
export const deleted = (of: About, { metadata: { name, uid } }: Stored): Record<string, unknown> => ({
  ...{ ...STATUS, status: 'Success' },
  details: { ...details(of, name), uid },
});
