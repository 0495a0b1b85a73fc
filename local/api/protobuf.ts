/**
 * The few messages that kubectl sends as protobuf and never as JSON: reviews, and what `kubectl create` makes. Field
 * numbers are those of `generated.proto` in k8s.io/api; what isn't named here is refused, not dropped in silence.
 */
import { badRequest } from './errors.ts';

/** A field's name; after it `[]` for many, `{}` for a map, `{b}` for a map to bytes, `?` for a boolean, `#` for a number. */
type Message = { [number: number]: string | [name: string, message: Message] };

/** What the server sets is sent too, empty. */
const SERVER_SET: Message = { 4: '', 5: '', 6: '', 7: '', 8: '' };
const META: Message = {
  1: 'name',
  2: 'generateName',
  3: 'namespace',
  11: 'labels{}',
  12: 'annotations{}',
  ...SERVER_SET,
};
const RESOURCE: Message = {
  1: 'namespace',
  2: 'verb',
  3: 'group',
  4: 'version',
  5: 'resource',
  6: 'subresource',
  7: 'name',
};
const PATH: Message = { 1: 'path', 2: 'verb' };
const ATTRIBUTES: Message = { 1: ['resourceAttributes', RESOURCE], 2: ['nonResourceAttributes', PATH] };
const SUBJECT: Message = { ...ATTRIBUTES, 3: 'user', 4: 'groups[]', 6: 'uid' };
const BOUND: Message = { 1: 'kind', 2: 'apiVersion', 3: 'name', 4: 'uid' };
const review = (spec: Message): Message => ({ 1: ['metadata', META], 2: ['spec', spec], 3: '' });

const MESSAGES: Record<string, Message> = {
  SelfSubjectReview: { 1: ['metadata', META], 2: '' },
  SelfSubjectAccessReview: review(ATTRIBUTES),
  SubjectAccessReview: review(SUBJECT),
  LocalSubjectAccessReview: review(SUBJECT),
  SelfSubjectRulesReview: review({ 1: 'namespace' }),
  Namespace: review({}),
  ConfigMap: { 1: ['metadata', META], 2: 'data{}', 3: 'binaryData{b}', 4: 'immutable?' },
  Secret: { 1: ['metadata', META], 2: 'data{b}', 3: 'type', 4: 'stringData{}', 5: 'immutable?' },
  ServiceAccount: { 1: ['metadata', META] },
  TokenRequest: review({ 1: 'audiences[]', 3: ['boundObjectRef', BOUND], 4: 'expirationSeconds#' }),
};

const MAGIC = Buffer.from('k8s\0');

/** Reads `runtime.Unknown` with one of the messages above. Throws 400 for anything else. */
export function fromProtobuf(bytes: Buffer): Record<string, unknown> {
  if (!bytes.subarray(0, 4).equals(MAGIC)) throw badRequest('the body is no protobuf of Kubernetes');
  const outer: Message = { 1: ['type', { 1: 'apiVersion', 2: 'kind' }], 2: 'raw{raw}', 3: '', 4: '' };
  const { type, raw } = decode(bytes.subarray(4), outer) as { type: { kind: string }; raw: Buffer };
  const message = MESSAGES[type.kind];
  if (!message) throw badRequest(`the stand-in reads ${type.kind} as JSON only: use kubectl apply with a manifest`);
  return { ...type, ...decode(raw, message) };
}

function decode(bytes: Buffer, message: Message): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [number, value] of fields(bytes)) {
    const field = message[number];
    if (field === undefined) throw badRequest(`the stand-in does not know field ${number} of this protobuf: use JSON`);
    if (typeof field === 'string') assign(result, field, value);
    else result[field[0]] = decode(value as Buffer, field[1]);
  }
  return result;
}

/** How a value is read, by what follows the field's name. */
const READ: Record<string, (value: Buffer | number, before: unknown) => unknown> = {
  '': (value) => String(value) || undefined,
  '?': (value) => value === 1,
  '#': Number,
  '[]': (value, before) => [...((before as string[] | undefined) ?? []), String(value)],
  '{}': (value, before) => withEntry(before, 'utf8', value as Buffer),
  '{b}': (value, before) => withEntry(before, 'base64', value as Buffer),
  '{raw}': (value) => value,
};

function assign(result: Record<string, unknown>, field: string, value: Buffer | number): void {
  const [, name = '', kind = ''] = /^(\w*)(.*)$/.exec(field) ?? [];
  const read = READ[kind]?.(value, result[name]);
  if (name && read !== undefined) result[name] = read;
}

function withEntry(map: unknown, encoding: BufferEncoding, entry: Buffer): Record<string, string> {
  const { 1: key = '', 2: item = '' } = Object.fromEntries(fields(entry));
  const text = Buffer.from(item as Buffer).toString(encoding);
  return { ...(map as Record<string, string> | undefined), [String(key)]: text };
}

/** Field numbers and values: bytes, or a number where it is a varint. */
function* fields(bytes: Buffer): Generator<[number, Buffer | number]> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if ((tag & 7) > 2) throw badRequest('this protobuf holds what the stand-in does not know: use JSON');
    const length = varint();
    if ((tag & 7) === 2) at += length;
    yield [tag >> 3, (tag & 7) === 2 ? bytes.subarray(at - length, at) : length];
  }
}
