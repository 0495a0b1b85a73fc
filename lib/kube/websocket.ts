/**
 * Frames of a WebSocket (RFC 6455, section 5), as much of it as a container's standard input needs: binary messages, a
 * ping that is answered, a close. Pure but for the mask, which is given.
 */
import { createHash } from 'node:crypto';

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** What a server answers to a client's key (section 4.2.2). */
export const acceptOf = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

export interface Frame {
  opcode: number;
  payload: Buffer;
  /** Whether the message ends with it. */
  last: boolean;
}

/** The longest frame that is taken, in bytes. */
const MOST = 16 * 1024 * 1024;

function lengthBytes(length: number, masked: number): Buffer {
  if (length < 126) return Buffer.from([masked | length]);
  const bytes = Buffer.alloc(length < 65_536 ? 3 : 9);
  bytes[0] = masked | (length < 65_536 ? 126 : 127);
  if (length < 65_536) bytes.writeUInt16BE(length, 1);
  else bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}

function masked(payload: Buffer, mask: Uint8Array): Buffer {
  const out = Buffer.from(payload);
  for (let at = 0; at < out.length; at += 1) out[at] = (out[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return out;
}

/** A message of one frame. A client masks with four random bytes, a server never does (section 5.1). */
export function makeFrame(opcode: number, payload: Buffer, mask?: Uint8Array): Buffer {
  const head = Buffer.from([0x80 | opcode]);
  const length = lengthBytes(payload.length, mask ? 0x80 : 0);
  return mask ? Buffer.concat([head, length, mask, masked(payload, mask)]) : Buffer.concat([head, length, payload]);
}

/** How many bytes there are before the payload, and how long that is; `undefined` where the head isn't whole yet. */
function headOf(bytes: Buffer): { start: number; length: number; isMasked: boolean } | undefined {
  const second = bytes[1] ?? 0;
  const isMasked = (second & 0x80) !== 0;
  const more = MORE[second & 0x7f] ?? 0;
  const start = 2 + more + (isMasked ? 4 : 0);
  if (bytes.length < start) return undefined;
  return { start, length: lengthOf(bytes, more), isMasked };
}

/** How many bytes more say the length, by what the short one says. */
const MORE: Record<number, number> = { 126: 2, 127: 8 };

function lengthOf(bytes: Buffer, more: number): number {
  if (more === 0) return (bytes[1] ?? 0) & 0x7f;
  return more === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
}

/** The first frame of `bytes` and how long it is; `undefined` where it isn't whole yet. Throws where it is too long. */
function takeFrame(bytes: Buffer): { frame: Frame; size: number } | undefined {
  const head = headOf(bytes);
  if (!head) return undefined;
  const { start, length, isMasked } = head;
  if (length > MOST) throw new RangeError(`a WebSocket frame has ${length} bytes`);
  if (bytes.length < start + length) return undefined;
  const payload = bytes.subarray(start, start + length);
  const shown = isMasked ? masked(payload, bytes.subarray(start - 4, start)) : payload;
  const first = bytes[0] ?? 0;
  return { frame: { opcode: first & 0x0f, payload: shown, last: (first & 0x80) !== 0 }, size: start + length };
}

/** Each frame of a connection, up to its close or its end. */
export async function* framesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (let found = takeFrame(rest); found; found = takeFrame(rest)) {
      rest = rest.subarray(found.size);
      yield found.frame;
      if (found.frame.opcode === OPCODE.close) return;
    }
  }
}
