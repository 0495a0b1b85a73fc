/** The refusals of the API server, in its own words. */

import { ApiError } from '../../lib/kube/errors.ts';
import type { Stored } from '../types.ts';

/** What a refusal is about. */
export interface About {
  group: string;
  plural: string;
  kind: string;
}

/** One thing wrong with an object; `reason` is one of the API's CauseTypes, such as `FieldValueInvalid`. */
export interface Cause {
  field: string;
  reason: string;
  message: string;
}

/** `sessions.tiny.dev`, `pods`: a resource's name everywhere but in a path. */
export const groupResource = ({ group, plural }: Pick<About, 'group' | 'plural'>): string =>
  group ? `${plural}.${group}` : plural;

const details = ({ group, plural }: About, name: string) => ({ name, ...(group && { group }), kind: plural });

/** A refusal about one object, worded with its resource and name. */
const about = (code: number, reason: string, text: (what: string) => string) => (of: About, name: string) =>
  new ApiError(code, { reason, message: text(`${groupResource(of)} "${name}"`), details: details(of, name) });

export const notFound = about(404, 'NotFound', (what) => `${what} not found`);
export const alreadyExists = about(409, 'AlreadyExists', (what) => `${what} already exists`);
export const conflict = (of: About, name: string, why: string): ApiError =>
  about(409, 'Conflict', (what) => `Operation cannot be fulfilled on ${what}: ${why}`)(of, name);
export const forbidden = (of: About, name: string, why: string): ApiError =>
  about(403, 'Forbidden', (what) => `${what} is forbidden: ${why}`)(of, name);

export const badRequest = (message: string): ApiError => new ApiError(400, { reason: 'BadRequest', message });
export const expired = (message: string): ApiError => new ApiError(410, { reason: 'Expired', message });
export const notImplemented = (what: string): ApiError =>
  new ApiError(501, { reason: 'NotImplemented', message: `the stand-in for Kubernetes does not have ${what}` });
export const noSuchPath = (): ApiError =>
  new ApiError(404, { reason: 'NotFound', message: 'the server could not find the requested resource' });

const as = (reason: string, field: string, message: string): Cause => ({
  field,
  reason: `FieldValue${reason}`,
  message,
});

export const cause = {
  required: (field: string, detail = '') => as('Required', field, `Required value${detail && `: ${detail}`}`),
  invalid: (field: string, value: unknown, detail: string) =>
    as('Invalid', field, `Invalid value: ${value === undefined ? '' : `${JSON.stringify(value)}: `}${detail}`),
  unsupported: (field: string, value: unknown, supported: readonly unknown[]) =>
    as(
      'NotSupported',
      field,
      `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
    ),
  type: (field: string, type: string, wanted: string) =>
    as('TypeInvalid', field, `Invalid value: "${type}": ${field} in body must be of type ${wanted}: "${type}"`),
  duplicate: (field: string, value: string) => as('Duplicate', field, `Duplicate value: ${value}`),
  forbidden: (field: string, detail: string) => as('Forbidden', field, `Forbidden: ${detail}`),
  tooLong: (field: string, max: unknown) => as('TooLong', field, `Too long: may not be more than ${max} bytes`),
};

/** 422 with every cause, worded as `Session.tiny.dev "x" is invalid: spec.prompt: Required value`. */
export function invalid(of: About, name: string, causes: Cause[]): ApiError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const kind = of.group ? `${of.kind}.${of.group}` : of.kind;
  return new ApiError(422, {
    reason: 'Invalid',
    message: `${kind} "${name}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    details: { ...details({ ...of, plural: of.kind }, name), causes },
  });
}

/** A refusal as the body of an answer. */
export const statusOf = ({ code, status }: ApiError): Record<string, unknown> => ({
  ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
  ...status,
  code,
});

/** The answer to a deletion that is done. */
export const deleted = (of: About, { metadata: { name, uid } }: Stored): Record<string, unknown> => ({
  ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' },
  details: { ...details(of, name), uid },
});
