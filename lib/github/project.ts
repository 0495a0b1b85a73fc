/** Which project works for a repository, as ConfigMap tiny-intake says. Pure. */
import type { Project, Projects } from '../intake/projects.ts';

export type Placed = Project;

/** The label that starts a Session, where a project names none. */
export const LABEL = 'tiny';

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** The project of `OWNER/REPO`, in whatever case it is written. One that two projects claim is nobody's. */
export function projectOfRepository({ projects = [] }: Projects, name: string): Placed | undefined {
  const [found, another] = projects.filter(({ github = [] }) => github.some((one) => same(one, name)));
  return another ? undefined : found;
}
