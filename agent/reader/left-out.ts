/** What of a Session's volume no archive takes along: what proves who somebody is, and what can be had again. Pure. */

/** Below the home folder: where agents and tools keep credentials. */
const CREDENTIALS = [
  '.aws',
  '.azure',
  '.claude/.credentials.json',
  '.codex/auth.json',
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.docker/config.json',
  '.gemini/oauth_creds.json',
  '.git-credentials',
  '.gnupg',
  '.kube',
  '.local/share/opencode/auth.json',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.ssh',
];

const CACHES = ['.cache', '.npm/_cacache', '.npm/_logs'];

const LEFT_OUT = new Set([...CREDENTIALS, ...CACHES]);

/** Whether the file or folder at `path` of the home folder stays where it is. */
export const isLeftOut = (path: string): boolean => LEFT_OUT.has(path);
