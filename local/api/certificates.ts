/** The server's certificate, by a CA of its own, made once into the data folder: kubectl sends tokens over TLS alone. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** All in PEM. */
export interface Certificates {
  ca: string;
  cert: string;
  key: string;
}

/** Long enough that nobody meets its end: a new data folder has a new one. */
const YEARS = 10;

/** Reads the certificates in `dataDir`, or makes them. A kill in between leaves none. */
export async function loadCertificates(dataDir: string, now: Date): Promise<Certificates> {
  const file = join(dataDir, 'certificates.json');
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, JSON.stringify(await make(now)), { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Certificates;
}

async function make(now: Date): Promise<Certificates> {
  const notBeforeDate = new Date(now.getTime() - 86_400_000);
  const notAfterDate = new Date(now.getTime() + YEARS * 365 * 86_400_000);
  const common = { keyType: 'ec', algorithm: 'sha256', notBeforeDate, notAfterDate } as const;
  const ca = await generate([{ name: 'commonName', value: 'tiny-stand-in-ca' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: 'tiny-stand-in' }], {
    ...common,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { ca: ca.cert, cert: server.cert, key: server.private };
}
