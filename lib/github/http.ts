/** One request to GitHub, over node's own client: follows no redirect, waits no longer than it may, reads no more than is needed. */
import { type IncomingHttpHeaders, request as plainRequest } from 'node:http';
import { request } from 'node:https';

export interface Outgoing {
  method: 'GET' | 'POST' | 'PATCH';
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Incoming {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Throws where no whole answer comes. */
export type Send = (outgoing: Outgoing) => Promise<Incoming>;

/** Milliseconds; GitHub itself waits 10 s for the answer to a delivery. */
const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

async function read(answer: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The network. */
export const send: Send = ({ url, method, headers, body }) => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const open = url.startsWith('http:') ? plainRequest : request;
  return new Promise((resolve, reject) => {
    const sent = open(url, { method, headers, signal }, (answer) => {
      const whole =
        ({ statusCode: status = 0, headers: said }: typeof answer) =>
        (text: string) =>
          resolve({ status, headers: said, text });
      read(answer).then(whole(answer), reject);
    });
    sent.once('error', reject).end(body);
  });
};
