/**
 * Whether somebody may write to a repository, as GitHub says now. A label takes less than that, and what a delivery calls
 * a member may have no right at all; but an agent's work ends in the repository, so whoever starts it must be able to write there.
 */
import { type GitHub, GitHubError } from './api.ts';
import type { GitHubUser } from './delivery.ts';

interface Permission {
  permission?: string;
  user?: { id?: number } | null;
}

/** Asked by login, answered for an id: a login that another has by now is nobody. Throws `GitHubError`. */
export async function mayWrite(github: GitHub, repository: string, { id, login }: GitHubUser): Promise<boolean> {
  const path = `/repos/${repository}/collaborators/${encodeURIComponent(login)}/permission`;
  try {
    const { permission = '', user } = await github<Permission>('GET', path);
    return user?.id === id && ['admin', 'write'].includes(permission);
  } catch (error) {
    if (error instanceof GitHubError && error.reason === 'NotFound') return false;
    throw error;
  }
}
