/**
 * The messages that kubectl sends as protobuf and never as JSON for `auth can-i` and `auth whoami`. Field numbers are
 * those of `generated.proto` in k8s.io/api; what isn't named here is refused, not dropped in silence.
 */
import { badRequest, unsupportedType } from './errors.ts';

/** Names of fields by number, or a message and its name; `''` is a field that only the server sets. */
type Message = { [number: number]: string | [name: string, message: Message] };

const META: Message = { 1: 'name', 2: '', 3: '', 4: '', 5: '', 6: '', 7: '', 8: '' };
const RESOURCE: Message = Object.fromEntries(
  ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name'].map((name, at) => [at + 1, name]),
);
const ATTRIBUTES: Message = {
  1: ['resourceAttributes', RESOURCE],
  2: ['nonResourceAttributes', { 1: 'path', 2: 'verb' }],
};
const review = (spec: Message): Message => ({ 1: ['metadata', META], 2: ['spec', spec], 3: '' });

const MESSAGES: Record<string, Message> = {
  SelfSubjectReview: { 1: ['metadata', META], 2: '' },
  SelfSubjectAccessReview: review(ATTRIBUTES),
  SelfSubjectRulesReview: review({ 1: 'namespace' }),
};

const MAGIC = 'k8s\0';

/** Reads `runtime.Unknown` with one of the messages above. Throws 400, and 415 for any other kind. */
export function fromProtobuf(bytes: Buffer): Record<string, unknown> {
  if (bytes.subarray(0, 4).toString() !== MAGIC) throw badRequest('the body is no protobuf of Kubernetes');
  const [type, raw] = [...fields(bytes.subarray(4))].map(([, value]) => value as Buffer);
  if (!type || !raw) throw badRequest('this protobuf holds no object');
  const named = decode(type, { 1: 'apiVersion', 2: 'kind' });
  const message = MESSAGES[String(named.kind)];
  if (message) return { ...named, ...decode(raw, message) };
  throw unsupportedType(`the stand-in reads ${named.kind} as JSON only: use kubectl apply with a manifest`);
}

function decode(bytes: Buffer, message: Message): Record<string, unknown> {
  const entries = [...fields(bytes)].flatMap(([number, value]) => {
    const field = message[number];
    if (field === undefined) throw badRequest(`the stand-in does not know field ${number} of this protobuf: use JSON`);
    if (typeof field !== 'string') return [[field[0], decode(value as Buffer, field[1])]];
    return field && String(value) ? [[field, String(value)]] : [];
  });
  return Object.fromEntries(entries);
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
