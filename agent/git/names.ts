/** What a Session's work is called in git: its branch, and who its commits are by. */
import type { Author } from './clone.ts';

interface Named {
  namespace: string;
  session: string;
}

/** The branch that a Session's agent works on; the same at each start. */
export const branchOf = ({ session }: Pick<Named, 'session'>): string => `tiny/${session}`;

/** Who commits: what the spec says, else the Session, with an address that can't exist (RFC 2606). */
export function authorOf({
  namespace,
  session,
  repository,
}: Named & { repository: { author?: { name?: string | undefined; email?: string | undefined } | undefined } }): Author {
  const { name = `tiny session ${session}`, email = `${session}.${namespace}@tiny.invalid` } = repository.author ?? {};
  return { name, email };
}
