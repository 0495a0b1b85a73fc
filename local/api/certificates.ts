/** The server's certificate, by a CA of its own, made once into the data folder: kubectl sends tokens over TLS alone. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** All in PEM. */
export interface Certificates {
  ca: string;
  cert: string;
  key: string;
}

const DAY = 86_400_000;
/** Long enough that nobody meets its end: a new data folder has a new one. */
const TEN_YEARS = 3650 * DAY;

/** Reads the certificates in `dataDir`, or makes them. A kill in between leaves none. */
export async function loadCertificates(dataDir: string, now: Date): Promise<Certificates> {
  const file = join(dataDir, 'certificates.json');
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, JSON.stringify(await make(now)), { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Certificates;
}

async function make(now: Date): Promise<Certificates> {
  const [notBeforeDate, notAfterDate] = [-DAY, TEN_YEARS].map((ms) => new Date(now.getTime() + ms));
  const common = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256', notBeforeDate, notAfterDate } as const;
  const ca = await generate([{ name: 'commonName', value: 'tiny-stand-in-ca' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });
  const hosts = [{ type: 2, value: 'localhost' } as const, { type: 7, ip: '127.0.0.1' } as const];
  const server = await generate([{ name: 'commonName', value: 'tiny-stand-in' }], {
    ...common,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: hosts },
    ],
  });
  return { ca: ca.cert, cert: server.cert, key: server.private };
}
