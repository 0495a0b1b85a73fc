/**
 * One POST to the outside, over node's own client: it follows no redirect, waits no longer than it may, and reads no more
 * than is needed. Where the address was not chosen by whoever runs the cluster, it goes to public addresses only: they are
 * looked at when the connection is made, so that a name that changes in between gains nothing.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { BlockList, isIP } from 'node:net';

export interface Outgoing {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Milliseconds for all of it. */
  timeoutMs: number;
  /** Only to public addresses, and by https. */
  publicOnly?: boolean;
}

export interface Incoming {
  status: number;
  retryAfterSeconds?: number;
  text: string;
}

/** Sends it. Throws where no whole answer comes. */
export type Post = (outgoing: Outgoing) => Promise<Incoming>;

/** What answered is too long, or where it was to go is nowhere that may be reached. */
export class PostRefused extends Error {
  override name = 'PostRefused';
}

const MAX_ANSWER_BYTES = 1024 * 1024;

/** IANA's special-purpose registries (RFC 6890): this host, this network, and what is nobody's. */
const NOT_PUBLIC = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  NOT_PUBLIC.addSubnet(net, bits);
for (const [net, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
  ['2002::', 16],
  ['2001::', 32],
] as const)
  NOT_PUBLIC.addSubnet(net, bits, 'ipv6');

/** Whether an IP address is one of the public internet; an IPv4 address in IPv6 clothes is looked at as what it is. */
export function isPublic(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !NOT_PUBLIC.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

type Looked = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

function lookupPublic(host: string, options: LookupOptions, done: Looked): void {
  lookup(host, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, []);
    const wrong = addresses.find(({ address }) => !isPublic(address));
    if (wrong) return done(new PostRefused(`${host} is at ${wrong.address}, which is no public address`), []);
    const [first] = addresses;
    return options.all ? done(null, addresses) : done(null, first?.address ?? '', first?.family);
  });
}

/** A literal address is never looked up, so it is checked here. */
function checked(url: URL): void {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol !== 'https:') throw new PostRefused('only https is spoken there');
  if (isIP(host) && !isPublic(host)) throw new PostRefused(`${host} is no public address`);
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new PostRefused('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function read(answer: IncomingMessage): Promise<Incoming> {
  const retryAfter = Number(answer.headers['retry-after']);
  const text = await textOf(answer);
  const known = Number.isFinite(retryAfter) && { retryAfterSeconds: Math.max(0, retryAfter) };
  return { status: answer.statusCode ?? 0, text, ...known };
}

/** The network. */
export const post: Post = ({ url: where, headers, body, timeoutMs, publicOnly }) => {
  const url = new URL(where);
  if (publicOnly) checked(url);
  const signal = AbortSignal.timeout(timeoutMs);
  const options = { method: 'POST', headers, signal, ...(publicOnly && { lookup: lookupPublic }) };
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'http:' ? plainRequest : request;
    const sent = send(url, options, (answer) => void read(answer).then(resolve, reject));
    sent.once('error', (error) => reject(signal.aborted ? signal.reason : error)).end(body);
  });
};
