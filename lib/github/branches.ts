/** The branches of a pull request, where the delivery does not say them: a comment in its conversation does not. */
import type { GitHub } from './api.ts';
import type { Act, Branches } from './delivery.ts';

interface Pull {
  head?: { ref: string; repo?: { id: number } | null };
  base?: { ref: string };
}

/** `act`, with the branches of its pull request, if it is about one. Throws `GitHubError`. */
export async function withBranches(act: Act, github: GitHub): Promise<Act> {
  if (!act.isPull || act.branches) return act;
  const { head, base } = await github<Pull>('GET', `/repos/${act.repository.name}/pulls/${act.number}`);
  if (!head || !base) return act;
  const branches: Branches = { head: head.ref, base: base.ref, isFork: head.repo?.id !== act.repository.id };
  return { ...act, branches };
}
