/**
 * What an agent proposes to apply. What decides where an object goes and what it is stands in fields of its own, which
 * admission reads; the rest is one string, so that it can't change on its way through a schema, and can't say otherwise.
 */
import { z } from 'zod';
import { dnsLabel } from './schema-parts.ts';

/** Objects of one proposal: a person reads them all. */
export const MAX_OBJECTS = 16;
/** Characters of one object's fields. */
const MAX_FIELDS = 32_768;

/** One object, as it is to be applied. */
export const manifest = z.object({
  apiVersion: z
    .string()
    .min(2)
    .max(253)
    .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?v[0-9][a-z0-9]*$/, 'must be such as v1 or apps/v1'),
  kind: z
    .string()
    .min(1)
    .max(63)
    .regex(/^[A-Z][A-Za-z0-9]*$/, 'must be such as ConfigMap'),
  namespace: dnsLabel().describe('Objects outside of namespaces are not applied.'),
  name: z
    .string()
    .min(1)
    .max(253)
    .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/, 'must be lower-case letters, digits, "-" and "."'),
  fields: z
    .string()
    .min(2)
    .max(MAX_FIELDS)
    .describe(
      'All other fields, as a JSON object whose keys are in order and without blanks. Of metadata, labels and annotations alone.',
    ),
});

/** What is applied on yes. */
export const proposal = z.object({
  objects: z
    .array(manifest)
    .min(1)
    .max(MAX_OBJECTS)
    .describe('The objects, in the order in which they are applied.')
    .meta({ 'x-kubernetes-list-type': 'atomic' }),
  force: z
    .boolean()
    .optional()
    .describe('Take over fields that others manage. Default: they are a conflict, and nothing is applied.'),
});

export type Manifest = z.infer<typeof manifest>;
export type Proposal = z.infer<typeof proposal>;
