/** The environment of the command, read once through one schema; nothing else in `cli/` reads `process.env`. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod/mini';

const schema = z.object({
  GH_TOKEN: z.optional(z.string()),
  GITHUB_API_URL: z.optional(z.string()),
  GITHUB_EVENT_NAME: z.optional(z.string()),
  GITHUB_EVENT_PATH: z.optional(z.string()),
  GITHUB_TOKEN: z.optional(z.string()),
  HOME: z._default(z.string(), homedir()),
  KUBEBUILDER_ASSETS: z.optional(z.string()),
  KUBECONFIG: z.optional(z.string()),
  NO_COLOR: z.optional(z.string()),
  PATH: z._default(z.string(), '/usr/local/bin:/usr/bin:/bin'),
  TERM: z.optional(z.string()),
  TINY_REGISTRY: z.optional(z.string()),
  XDG_CACHE_HOME: z.optional(z.string()),
  XDG_DATA_HOME: z.optional(z.string()),
});

export interface Environment {
  home: string;
  /** One path, or several parted by `:`, as kubectl reads it. */
  kubeconfig?: string;
  /** Any non-empty value turns colour off (no-color.org). */
  noColor?: string;
  term?: string;
  /** Where the local cluster keeps its data: `$XDG_DATA_HOME/tiny`, by default `~/.local/share/tiny`. */
  data: string;
  /** What can be made again: `$XDG_CACHE_HOME/tiny`, by default `~/.cache/tiny`. */
  cache: string;
  path: string;
  /** `KUBEBUILDER_ASSETS`: a folder with a kube-apiserver and an etcd. */
  assets?: string;
  /** `TINY_REGISTRY`: where the images of Sessions' pods are, in place of what the installation says. */
  registry?: string;
  /** How GitHub is asked, and in a job of its Actions what has started it. */
  github?: GitHubEnvironment;
}

export interface GitHubEnvironment {
  /** `GITHUB_TOKEN`, else `GH_TOKEN`. */
  token?: string;
  /** `GITHUB_API_URL`. */
  api?: string;
  /** `GITHUB_EVENT_PATH` and `GITHUB_EVENT_NAME`. */
  event?: { path: string; name: string };
}

function githubOf(set: z.infer<typeof schema>): GitHubEnvironment {
  const { GITHUB_TOKEN, GH_TOKEN, GITHUB_API_URL, GITHUB_EVENT_PATH: path, GITHUB_EVENT_NAME: name } = set;
  const token = GITHUB_TOKEN ?? GH_TOKEN;
  return {
    ...(token && { token }),
    ...(GITHUB_API_URL && { api: GITHUB_API_URL.replace(/\/+$/, '') }),
    ...(path && name && { event: { path, name } }),
  };
}

/** `values` as the command understands them; an empty variable is an absent one. */
export function parseEnvironment(values: Record<string, string | undefined>): Environment {
  const set = Object.fromEntries(Object.entries(values).filter(([, value]) => value));
  const known = schema.parse(set);
  const { HOME, KUBEBUILDER_ASSETS, KUBECONFIG, NO_COLOR, PATH, TERM, TINY_REGISTRY, XDG_CACHE_HOME, XDG_DATA_HOME } =
    known;
  const github = githubOf(known);
  return {
    home: HOME,
    data: join(XDG_DATA_HOME ?? join(HOME, '.local', 'share'), 'tiny'),
    cache: join(XDG_CACHE_HOME ?? join(HOME, '.cache'), 'tiny'),
    path: PATH,
    ...(KUBEBUILDER_ASSETS && { assets: KUBEBUILDER_ASSETS }),
    ...(KUBECONFIG && { kubeconfig: KUBECONFIG }),
    ...(NO_COLOR && { noColor: NO_COLOR }),
    ...(TERM && { term: TERM }),
    ...(TINY_REGISTRY && { registry: TINY_REGISTRY }),
    ...(Object.keys(github).length > 0 && { github }),
  };
}

/** The environment of this process. */
export const readEnvironment = (): Environment => parseEnvironment(process.env);
