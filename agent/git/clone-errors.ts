/** git's words about a clone that failed, as advice: what happened, and what a person can do about it. */
import { cut } from '../cut.ts';
import { GitError } from './git.ts';

export interface CloneFailure {
  message: string;
  /** Whether it may pass by itself, so that another try is worth it. */
  passes: boolean;
}

interface Repository {
  url: string;
  ref?: string | undefined;
}

type Advice = [pattern: RegExp, passes: boolean, message: (repository: Repository) => string];

const ADVICE: Advice[] = [
  [
    /remote branch .* not found|couldn't find remote ref|not our ref|unadvertised object/i,
    false,
    ({ url, ref }) => `the repository ${url} has no branch, tag or commit "${ref}"; see spec.repository.ref`,
  ],
  [
    /authentication failed|could not read (username|password)|permission denied|HTTP Basic: Access denied|error: 40[13]|invalid credentials/i,
    false,
    ({ url }) =>
      `the repository ${url} wants credentials, or refuses the ones it got; name a Secret with username and password, or ssh-privatekey and known_hosts, in spec.repository.credentialsSecret`,
  ],
  [
    /repository .* not found|error: 404|does not appear to be a git repository|repository not found/i,
    false,
    ({ url }) => `the repository ${url} was not found; see whether the URL is right and the credentials may see it`,
  ],
  [
    /host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/i,
    false,
    ({ url }) =>
      `the SSH server of ${url} does not have the key that is expected of it; see the key known_hosts of the Secret in spec.repository.credentialsSecret`,
  ],
  [
    /not allowed|transport .* not/i,
    false,
    ({ url }) => `the repository ${url} is refused: only HTTPS, HTTP and SSH are allowed`,
  ],
  [
    /could not resolve host|connection refused|failed to connect|timed out|connection reset|error: 5\d\d|early EOF|hung up|unable to access/i,
    true,
    ({ url }) =>
      `the repository ${url} can't be reached; see whether spec.network.egress lets the pod connect to it and whether it is up`,
  ],
  [
    /no space left/i,
    false,
    () => 'the volume of the Session is full; make the Session again with a larger spec.storage.size',
  ],
];

/** What `error` of a clone means. */
export function cloneFailure(error: unknown, repository: Repository): CloneFailure {
  const said = error instanceof GitError ? error.stderr : '';
  const known = ADVICE.find(([pattern]) => pattern.test(said));
  const last = said.trim().split('\n').at(-1) ?? '';
  if (known) return { passes: known[1], message: `${known[2](repository)} (git: ${cut(last, 500)})` };
  const message =
    error instanceof GitError
      ? `cloning ${repository.url} failed (git: ${cut(last, 500)})`
      : String((error as Error).message);
  return { passes: false, message };
}
