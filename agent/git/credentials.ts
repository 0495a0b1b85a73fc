/**
 * How git finds its credentials: a private configuration file names a helper that reads the mounted Secret, for the
 * host of one repository alone. So no credential stands in an argument, a variable, a URL or a repository.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnvironment } from './git.ts';
import { knownHosts, sshHost } from './known-hosts.ts';

/** The Secret does not do for the repository, for a reason that a person can change. */
export class CredentialsError extends Error {
  override name = 'CredentialsError';
}

export interface CredentialsRequest {
  /** The repository. */
  url: string;
  /** A mounted Secret with `username` and `password`, or `ssh-privatekey` and `known_hosts`; absent: none. */
  secret: string | undefined;
  /** A folder that nobody else reads. It is made. */
  privateFolder: string;
  /** Where programs are found. */
  path: string;
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A value in git's configuration, as git-config(1) quotes it. */
const value = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/**
 * What holds for each of our git commands besides: no hook, no file system monitor, no automatic upkeep, no redirect to
 * another host that would be sent the credential.
 */
const COMMON = `[core]
	hooksPath = /dev/null
	fsmonitor = false
[gc]
	auto = 0
[maintenance]
	auto = false
[http]
	followRedirects = initial
[advice]
	detachedHead = false
[init]
	defaultBranch = main
`;

/** The environment for git commands with the credentials of `url`. Throws `CredentialsError`. */
export function credentialsFor({ url, secret, privateFolder, path }: CredentialsRequest): Record<string, string> {
  mkdirSync(privateFolder, { recursive: true, mode: 0o700 });
  const configuration = join(privateFolder, 'gitconfig');
  const keep = (text: string) => writeFileSync(configuration, text, { mode: 0o600 });
  const env = cleanEnvironment(path, { home: privateFolder, configuration });
  if (sshHost(url) !== undefined) {
    keep(COMMON);
    return { ...env, GIT_SSH_COMMAND: sshCommand({ url, secret, privateFolder }), GIT_SSH_VARIANT: 'ssh' };
  }
  keep(COMMON + (secret === undefined ? '' : helper(secret, url)));
  return env;
}

function helper(secret: string, url: string): string {
  if (!existsSync(join(secret, 'password')))
    throw new CredentialsError(
      `the Secret for ${url} has no key "password"; an HTTPS URL wants username and password, or a token as password`,
    );
  const read = (key: string, otherwise: string) => `cat ${quote(join(secret, key))} 2>/dev/null || echo ${otherwise}`;
  const say = (key: string, otherwise: string) => `echo "${key}=$(${read(key, otherwise)})"`;
  const line = `!f() { test "$1" = get && { ${say('username', 'x-access-token')}; ${say('password', '')}; }; }; f`;
  return `[credential ${value(new URL(url).origin)}]\n\thelper = ${value(line)}\n`;
}

function sshCommand({ url, secret, privateFolder }: Omit<CredentialsRequest, 'path'>): string {
  const read = (key: string) => {
    const file = secret === undefined ? undefined : join(secret, key);
    return file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  const hosts = knownHosts(url, read('known_hosts'));
  if (hosts === undefined)
    throw new CredentialsError(
      `nobody vouches for the SSH server of ${url}; put its public keys into the key "known_hosts" of the Secret (ssh-keyscan gets them; compare them with what the host publishes)`,
    );
  const key = read('ssh-privatekey');
  if (key === undefined)
    throw new CredentialsError(`the SSH repository ${url} wants a Secret with the key "ssh-privatekey"`);
  // OpenSSH wants a key that ends with a line end, and that no other user may read.
  const keyFile = join(privateFolder, 'ssh-key');
  writeFileSync(keyFile, `${key.trimEnd()}\n`, { mode: 0o600 });
  const hostsFile = join(privateFolder, 'known-hosts');
  writeFileSync(hostsFile, hosts, { mode: 0o600 });
  const options = [
    'IdentitiesOnly=yes',
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${hostsFile}`,
    'GlobalKnownHostsFile=/dev/null',
    'UpdateHostKeys=no',
    'ForwardAgent=no',
    'PermitLocalCommand=no',
    'ConnectTimeout=20',
  ];
  return ['ssh', '-F', '/dev/null', '-i', quote(keyFile), ...options.map((option) => `-o ${quote(option)}`)].join(' ');
}
