/**
 * The certificates and keys of the engine, made once into its folder: one authority, the API server's certificate, the
 * one by which it reads a pod's log, and the key that signs service accounts' tokens.
 */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GenerateResult, generate } from 'selfsigned';

/** The names of the files, in one folder. */
export const PKI = {
  authority: 'ca.crt',
  server: 'apiserver.crt',
  serverKey: 'apiserver.key',
  kubelet: 'kubelet-client.crt',
  kubeletKey: 'kubelet-client.key',
  accounts: 'accounts.pub',
  accountsKey: 'accounts.key',
} as const;

/** Long enough that nobody meets its end: a new folder has new ones. */
const YEARS = 10;
const DAY_MS = 86_400_000;

/** As `kubernetes.default`, by that Service's address as pods know it, and on loopback. */
const NAMES = [
  ...['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'].map((value) => ({
    type: 2 as const,
    value,
  })),
  { type: 7 as const, ip: '10.96.0.1' },
  { type: 7 as const, ip: '127.0.0.1' },
];

const common = (now: Date) => ({
  keyType: 'ec' as const,
  algorithm: 'sha256' as const,
  notBeforeDate: new Date(now.getTime() - DAY_MS),
  notAfterDate: new Date(now.getTime() + YEARS * 365 * DAY_MS),
});

const makeAuthority = (now: Date) =>
  generate([{ name: 'commonName', value: 'tiny-local-ca' }], {
    ...common(now),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ],
  });

interface Leaf {
  name: string;
  group?: string;
  use: { serverAuth: true } | { clientAuth: true };
}

const makeLeaf = (authority: GenerateResult, { name, group, use }: Leaf, now: Date) =>
  generate([{ name: 'commonName', value: name }, ...(group ? [{ name: 'organizationName', value: group }] : [])], {
    ...common(now),
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', ...use },
      ...('serverAuth' in use ? [{ name: 'subjectAltName' as const, altNames: NAMES }] : []),
    ],
  });

async function makeFiles(now: Date): Promise<Record<keyof typeof PKI, string>> {
  const authority = await makeAuthority(now);
  const server = await makeLeaf(authority, { name: 'kube-apiserver', use: { serverAuth: true } }, now);
  const reader = {
    name: 'kube-apiserver-kubelet-client',
    group: 'tiny:log-readers',
    use: { clientAuth: true },
  } as const;
  const kubelet = await makeLeaf(authority, reader, now);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    authority: authority.cert,
    server: server.cert,
    serverKey: server.private,
    kubelet: kubelet.cert,
    kubeletKey: kubelet.private,
    accounts: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    accountsKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** Makes `folder` with all of `PKI` in it where it is not there yet. A kill in between leaves none. */
export async function ensurePki(folder: string, now: Date): Promise<void> {
  if (existsSync(folder)) return;
  rmSync(`${folder}.new`, { recursive: true, force: true });
  mkdirSync(`${folder}.new`, { recursive: true, mode: 0o700 });
  for (const [name, content] of Object.entries(await makeFiles(now)))
    writeFileSync(join(`${folder}.new`, PKI[name as keyof typeof PKI]), content, { mode: 0o600, flush: true });
  renameSync(`${folder}.new`, folder);
}

/** One of the files. */
export const readPki = (folder: string, name: keyof typeof PKI): string =>
  readFileSync(join(folder, PKI[name]), 'utf8');
