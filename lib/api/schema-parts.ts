/**
 * The small schemas that the resources are built of. Each string and list has a limit, because the API server
 * prices a CEL rule by the largest value it could meet.
 */
import { z } from 'zod';

/** A DNS-1123 label: what Kubernetes allows as the value of a label and as most names. */
export const dnsLabel = (max = 63) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(
      /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
      'must be lower-case letters, digits and "-", and start and end with a letter or digit',
    );

/** A DNS-1123 subdomain: the names of Secrets, claims and classes. */
export const dnsSubdomain = () =>
  z
    .string()
    .min(1)
    .max(253)
    .regex(
      /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/,
      'must be lower-case letters, digits, "-" and ".", and start and end with a letter or digit',
    );

/** A duration as Go writes it, in hours, minutes and seconds: `90s`, `1h30m`. */
export const duration = () =>
  z
    .string()
    .min(2)
    .max(24)
    .regex(/^([0-9]{1,6}h)?([0-9]{1,6}m)?([0-9]{1,6}s)?$/, 'must be a duration such as 90s, 15m or 1h30m');

/** A Kubernetes quantity: `500m`, `2Gi`. */
export const quantity = () =>
  z
    .string()
    .min(1)
    .max(32)
    .regex(/^[0-9]+(\.[0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/, 'must be a quantity such as 500m, 2 or 10Gi');

export const timestamp = () => z.iso.datetime({ offset: true }).max(64);

/** A string-to-string map with limits on keys and values. */
export const stringMap = () => z.record(z.string().max(316), z.string().max(1024)).meta({ maxProperties: 64 });

/**
 * Who acted, as the API server saw them: the fields of `authentication.k8s.io/v1` UserInfo. Stamped by admission
 * policy from the request, as in a CertificateSigningRequest; what a client writes here is replaced or refused.
 */
export const person = z.object({
  username: z.string().min(1).max(1024).describe('The name of the user or service account.'),
  uid: z.string().max(1024).optional().describe('The unique id of the user, where the authenticator gives one.'),
  groups: z
    .array(z.string().max(1024))
    .max(512)
    .optional()
    .describe('The groups of the user.')
    .meta({ 'x-kubernetes-list-type': 'atomic' }),
  extra: z
    .record(z.string().max(316), z.array(z.string().max(4096)).max(64))
    .meta({ maxProperties: 64 })
    .optional()
    .describe('Further attributes of the user, such as scopes, that authorizers may use.'),
});

/** A condition as in `metav1.Condition`. */
export const condition = z.object({
  type: z.string().min(1).max(316).describe('What is told.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether it is so.'),
  observedGeneration: z.int().min(0).optional().describe('The generation of the spec that this was seen at.'),
  lastTransitionTime: timestamp().describe('When the status last changed.'),
  reason: z
    .string()
    .min(1)
    .max(1024)
    .regex(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/)
    .describe('Why, in one word.'),
  message: z.string().max(32768).describe('Why, for a person, with what to do about it.'),
});

export const conditions = () =>
  z
    .array(condition)
    .max(16)
    .optional()
    .describe('What is true of the object, as Kubernetes conditions.')
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });
