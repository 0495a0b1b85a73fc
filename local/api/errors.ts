/** The refusals of the API server, in its own words. */
import { StatusError, type Stored } from '../types.ts';

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

export const groupResource = ({ group, plural }: Pick<About, 'group' | 'plural'>): string =>
  group ? `${plural}.${group}` : plural;

const details = ({ group, plural }: About, name: string) => ({ name, ...(group && { group }), kind: plural });

export const badRequest = (message: string): StatusError => new StatusError(400, { reason: 'BadRequest', message });

export const notImplemented = (what: string): StatusError =>
  new StatusError(501, {
    reason: 'NotImplemented',
    message: `the stand-in for Kubernetes does not have this: ${what}`,
  });

export const notFound = (about: About, name: string): StatusError =>
  new StatusError(404, {
    reason: 'NotFound',
    message: `${groupResource(about)} "${name}" not found`,
    details: details(about, name),
  });

export const noSuchPath = (): StatusError =>
  new StatusError(404, { reason: 'NotFound', message: 'the server could not find the requested resource' });

export const alreadyExists = (about: About, name: string): StatusError =>
  new StatusError(409, {
    reason: 'AlreadyExists',
    message: `${groupResource(about)} "${name}" already exists`,
    details: details(about, name),
  });

export const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export const conflict = (about: About, name: string, why: string): StatusError =>
  new StatusError(409, {
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${groupResource(about)} "${name}": ${why}`,
    details: details(about, name),
  });

export const forbidden = (about: About, name: string, why: string): StatusError =>
  new StatusError(403, {
    reason: 'Forbidden',
    message: `${groupResource(about)} "${name}" is forbidden: ${why}`,
    details: details(about, name),
  });

export const expired = (message: string): StatusError => new StatusError(410, { reason: 'Expired', message });

export const cause = {
  required: (field: string, detail = ''): Cause => ({
    field,
    reason: 'FieldValueRequired',
    message: `Required value${detail && `: ${detail}`}`,
  }),
  invalid: (field: string, value: unknown, detail: string): Cause => ({
    field,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: ${detail}`,
  }),
  forbidden: (field: string, detail: string): Cause => ({
    field,
    reason: 'FieldValueForbidden',
    message: `Forbidden: ${detail}`,
  }),
  tooLong: (field: string, bytes: number): Cause => ({
    field,
    reason: 'FieldValueTooLong',
    message: `Too long: may not be more than ${bytes} bytes`,
  }),
};

/** 422 with every cause, worded as `Session.tiny.dev "x" is invalid: spec.prompt: Required value`. */
export function invalid(about: About, name: string, causes: Cause[]): StatusError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const kind = about.group ? `${about.kind}.${about.group}` : about.kind;
  return new StatusError(422, {
    reason: 'Invalid',
    message: `${kind} "${name}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    details: {
      name,
      ...(about.group && { group: about.group }),
      kind: about.kind,
      causes: causes.map(({ field, reason, message }) => ({ reason, message, field })),
    },
  });
}

/** A refusal as the body of an answer. */
export function statusOf({ code, reason, message, details: about }: StatusError): Record<string, unknown> {
  const head = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason };
  return { ...head, ...(about && { details: about }), code };
}

/** The answer to a deletion that is done. */
export const deleted = (about: About, { metadata: { name, uid } }: Stored): Record<string, unknown> => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: { ...details(about, name), uid },
});
