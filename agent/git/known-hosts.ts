/**
 * Which SSH servers are who they say. A host that nobody has vouched for is refused: to trust what answers first is to
 * hand the repository to whoever stands in between.
 */

/**
 * The Ed25519 keys that the hosts publish, seen there in November 2026:
 * docs.github.com/authentication/keeping-your-account-and-data-secure/githubs-ssh-key-fingerprints (SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU),
 * docs.gitlab.com/user/gitlab_com/#ssh-known_hosts-entries (SHA256:eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8),
 * bitbucket.org/site/ssh (SHA256:ybgmFkzwOSotHTHLJgHO0QN8L0xErw6vd0VhFA9m3SM).
 */
export const PUBLISHED: Readonly<Record<string, string>> = {
  'github.com': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl',
  'gitlab.com': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfuCHKVTjquxvt6CM6tdG4SLp1Btn/nOeHHE5UOzRdf',
  'bitbucket.org': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIazEu89wgQZ4bqs3d63QSMzYVa0MuJ2e2gKTKqu+UUO',
};

const published = Object.entries(PUBLISHED).map(([host, key]) => `${host} ${key}\n`);

/** Host of an SSH URL, `ssh://[USER@]HOST[:PORT]/PATH` or `USER@HOST:PATH`; `undefined` for another kind of URL. */
export function sshHost(url: string): string | undefined {
  const [, long, short] = /^(?:ssh:\/\/(?:[^@/]*@)?([^:/]+)|[^@/:]+@([^:/]+):)/.exec(url) ?? [];
  return (long ?? short)?.toLowerCase();
}

/** Port of an SSH URL; the usual one is not said in a file of known hosts. */
const portOf = (url: string): string | undefined => /^ssh:\/\/[^/]*:([0-9]+)\//.exec(url)?.[1];

/**
 * The file of known hosts for cloning `url`: what the Secret says, or the published keys. `undefined` where neither
 * can vouch for the host.
 */
export function knownHosts(url: string, fromSecret: string | undefined): string | undefined {
  if (fromSecret?.trim()) return `${fromSecret.trim()}\n`;
  const host = sshHost(url);
  const isPublished = host !== undefined && Object.hasOwn(PUBLISHED, host) && [undefined, '22'].includes(portOf(url));
  return isPublished ? published.join('') : undefined;
}
