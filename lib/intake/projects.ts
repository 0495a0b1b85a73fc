/**
 * Which project a channel of Slack or another tracker works in, and what a Session made from there is like. A file that
 * whoever runs the cluster writes (ConfigMap tiny-intake): people choose a project by where they are, and name none. Pure.
 */
import * as z from 'zod/mini';

/** The file can't be used; the message says where. */
export class UnusableProjects extends Error {
  override name = 'UnusableProjects';
}

const namespace = z.string().check(z.maxLength(63), z.regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/));
/** A tracker's name, as it stands in its URL and in the name of its secret. */
export const SOURCE = /^[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$/;

const project = z.strictObject({
  namespace,
  /** `T0123/C0456`. */
  slack: z.optional(z.array(z.string().check(z.regex(/^[TE][A-Z0-9]{1,30}\/[CG][A-Z0-9]{1,30}$/)))),
  intake: z.optional(z.array(z.string().check(z.regex(SOURCE)))),
  /** `acme/shop`. */
  github: z.optional(z.array(z.string().check(z.regex(/^[A-Za-z0-9._-]{1,100}\/[A-Za-z0-9._-]{1,100}$/)))),
  /** The label of GitHub that starts a Session. Default: `tiny`. */
  githubLabel: z.optional(z.string().check(z.minLength(1), z.maxLength(50))),
  /** Fields of a Session's spec: agent, repository, … What they may be, the API server knows. */
  session: z.optional(z.record(z.string(), z.unknown())),
});
const schema = z.strictObject({ projects: z.optional(z.array(project)) });

export type Projects = z.infer<typeof schema>;
export type Project = z.infer<typeof project>;

/** Reads the file; none is no projects. Throws `UnusableProjects`. */
export function parseProjects(file: string): Projects {
  const result = z.safeParse(schema, file === '' ? {} : json(file));
  if (result.success) return result.data;
  throw new UnusableProjects(`the file of projects is wrong at ${result.error.issues[0]?.path.join('.') || 'its top'}`);
}

function json(file: string): unknown {
  try {
    return JSON.parse(file);
  } catch {
    throw new UnusableProjects('the file of projects is no JSON');
  }
}

/** The project that `where` works in. One that two projects claim is nobody's. */
export function projectOf({ projects = [] }: Projects, by: 'slack' | 'intake', where: string): Project | undefined {
  const [found, another] = projects.filter((one) => one[by]?.includes(where));
  return another ? undefined : found;
}
